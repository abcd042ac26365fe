import { spawnSync } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fixtureProgram } from '../../../../test/support/fixture-program.ts'
import { systemClock } from '../../src/kit/index.ts'
import { acquireLock, type OpenedExecution, type OpenOptions } from '../../src/workspace/index.ts'
import { listing, openScene } from './open-scene.ts'
import { usedExecution } from './used-execution.ts'

/** Opens in another process, killed before its n-th change on the disk. `false`: it got through. */
async function killed(options: OpenOptions, deadline: number): Promise<boolean> {
  const program = await fixtureProgram(new URL('./fixtures/open-and-die.ts', import.meta.url))
  const args = [program, JSON.stringify(options), String(deadline)]
  const run = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (run.signal === null && run.status !== 0) throw new Error(run.stderr)
  return run.signal === 'SIGKILL'
}

async function isWhole({ layout, executionFile }: OpenedExecution, data: string): Promise<void> {
  if (executionFile.linkType === 'copy') expect(await listing(layout.dataSource)).toEqual(['notes.md f 644'])
  else expect(await readlink(layout.dataSource)).toBe(data)
  const { lockFile } = layout
  const taken = await acquireLock({ lockFile, runId: 'r', clock: systemClock, onLost: () => undefined })
  expect(taken.kind === 'acquired' && taken.lock.release()).toBe('released')
  const names = await readdir(layout.internals)
  expect(names.filter(name => /incoming|draft|claim|wiped|lock/.test(name))).toEqual([])
  expect((await readdir(layout.dir)).filter(name => name.includes('.new'))).toEqual([])
}

describe('killed at any step', () => {
  it.each([{ copy: false }, { copy: true }])(
    'the creation of an execution is finished by the next start (%j)',
    async ({ copy }) => {
      for (let deadline = 1; ; deadline++) {
        const { open, options, data, home } = await openScene()
        const execution = join(home, 'mine')
        const isKilled = await killed(await options({ execution, copy }), deadline)
        await isWhole(await open({ execution, copy }), data)
        if (isKilled) continue
        expect(deadline).toBeGreaterThan(6)
        return
      }
    },
    120_000,
  )

  it('starting anew leaves the old execution whole, or its backup and a new one', async () => {
    const seen = new Set<string>()
    for (let deadline = 1; ; deadline++) {
      const { open, options, data, layout, anew } = await usedExecution()
      const isKilled = await killed(await options({ ...anew, force: true, hankHash: 'new' }), deadline)
      const next = await open({ execution: layout.dir, hankHash: 'next' })
      await isWhole(next, data)
      const { hankHash } = next.executionFile
      seen.add(hankHash)
      const isOld = hankHash === 'h1'
      const [backup = ''] = (await readdir(layout.dir)).filter(name => name.includes('backup'))
      const internals = isOld ? layout.internals : join(layout.dir, backup)
      const archive = isOld ? layout.rigArchive : join(internals, 'rigArchive')
      expect(await readFile(join(internals, 'state.json'), 'utf8'), `step ${deadline}`).toBe('state')
      expect(await readFile(join(archive, 'draft', 'old.md'), 'utf8'), `step ${deadline}`).toBe('archived')
      expect(await readdir(layout.agentRoot), `step ${deadline}`).toEqual(
        isOld ? ['out', 'read_only_data_source', 'src'] : ['read_only_data_source'],
      )
      expect(await readFile(join(data, 'notes.md'), 'utf8')).toBe('hello')
      if (isKilled) continue
      expect([...seen]).toEqual(['h1', 'next', 'new'])
      return
    }
  }, 120_000)
})
