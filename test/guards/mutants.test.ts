import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mutants } from '../mutants/mutants.ts'
import { root } from '../support/weave-command.ts'

describe('the table of mutants', () => {
  it.each(mutants)('fits the source: $rule in $file', ({ file, find, replace, killedBy }) => {
    expect(readFileSync(join(root, file), 'utf8').split(find)).toHaveLength(2)
    expect(replace).not.toBe(find)
    expect(killedBy.filter(test => !existsSync(join(root, test)))).toEqual([])
  })

  it('breaks at least 60 rules', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(60)
  })
})
