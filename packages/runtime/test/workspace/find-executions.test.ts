import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { acquireLock, listExecutions } from '../../src/workspace/index.ts'
import { openScene } from './open-scene.ts'

describe('the list of executions', () => {
  it('is newest first and says which a server holds', async () => {
    const { open, base, clock } = await openScene()
    const made: string[] = []
    for (const hankName of ['Zebra', 'Ant', 'Mole']) {
      const { layout } = await open({ hankName, startNew: true })
      made.unshift(layout.dir)
      await clock.advance(60_000)
    }
    const held = await open({ hankName: 'Held', startNew: true })
    const { lockFile } = held.layout
    const taken = await acquireLock({ lockFile, runId: 'r', clock, port: 4711, onLost: () => undefined })
    const list = await listExecutions({ executionBaseDir: base, clock })
    expect(list.executions.map(({ layout }) => layout.dir)).toEqual([held.layout.dir, ...made])
    expect(list.executions.map(({ lock }) => lock.kind)).toEqual(['held', 'free', 'free', 'free'])
    expect(list.executions[0]).toMatchObject({
      file: held.executionFile,
      lock: { holder: { pid: process.pid, port: 4711 } },
    })
    expect([list.damaged, list.truncated]).toEqual([[], false])
    if (taken.kind === 'acquired') taken.lock.release()
  })

  it('leaves out what is not an execution and what leads elsewhere', async () => {
    const { open, base, clock, home } = await openScene()
    const { layout } = await open()
    await mkdir(join(base, 'holiday photos'))
    await writeFile(join(base, 'a file'), '')
    await symlink(layout.dir, join(base, 'a link'))
    await mkdir(join(base, 'linked inside'))
    await symlink(layout.internals, join(base, 'linked inside', '.weave'))
    await open({ execution: join(home, 'not below the base') })
    const list = await listExecutions({ executionBaseDir: base, clock })
    expect(list.executions.map(each => each.layout.dir)).toEqual([layout.dir])
    expect(list.damaged).toEqual([])
  })

  it('keeps damaged ones apart, with their cure', async () => {
    const { open, base, clock } = await openScene()
    const torn = await open({ startNew: true })
    const gone = await open({ startNew: true })
    await writeFile(torn.layout.executionFile, '{')
    await rm(gone.layout.executionFile)
    const list = await listExecutions({ executionBaseDir: base, clock })
    expect(list.executions).toEqual([])
    const damaged = list.damaged.toSorted((left, right) => (left.dir < right.dir ? -1 : 1))
    expect(damaged.map(({ dir }) => dir)).toEqual([torn.layout.dir, gone.layout.dir])
    for (const { dir, cure } of damaged) expect(cure).toContain(`--start-new --force -e ${dir}`)
  })

  it('is empty without a base directory, bounded with a huge one, and tells what it cannot read', async () => {
    const { open, base, clock, data } = await openScene()
    expect(await listExecutions({ executionBaseDir: base, clock })).toEqual({
      executions: [],
      damaged: [],
      truncated: false,
    })
    await open({ startNew: true })
    await open({ startNew: true })
    const bounded = await listExecutions({ executionBaseDir: base, clock, limit: 1 })
    expect([bounded.executions.length, bounded.truncated]).toEqual([1, true])
    const file = join(data, 'notes.md')
    const unreadable = await listExecutions({ executionBaseDir: file, clock })
    expect(unreadable.problem).toContain(basename(file))
  })
})
