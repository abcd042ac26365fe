import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../support/weave-command.ts'

const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8')
const headings = [...page.matchAll(/^### `(.+)`$/gm)].map(([, heading = '']) => heading)
const source = ['cli', 'runtime', 'client']
  .flatMap(name => filesIn(join(root, 'packages', name, 'src')))
  .map(file => readFileSync(file, 'utf8'))
  .join('\n')

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => join(folder, name))
}

describe('the page of messages', () => {
  test('has headings', () => expect(headings.length).toBeGreaterThan(10))

  test.each(headings)('%s is what the program prints', heading => {
    for (const part of heading.split('…').map(text => text.trim())) expect(source).toContain(part)
  })
})
