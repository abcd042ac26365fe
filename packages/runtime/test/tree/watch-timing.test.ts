import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type DirectoryListener, type Listen, listenToSystem } from '../../src/tree/directory-hints.ts'
import { dueTime } from '../../src/tree/schedule.ts'
import { fill, type Watched, watched } from './watch-fixture.ts'

const lastScan = (cost: number) => ({ ended: 10_000, cost })
const burst = (first: number, last: number) => ({ first: 10_000 + first, last: 10_000 + last })

describe('the next look is due', () => {
  const table: readonly [name: string, times: Parameters<typeof dueTime>[0], after: number][] = [
    ['every few seconds', { hints: undefined, lastScan: lastScan(10), pollEvery: 2_000 }, 2_000],
    ['after 19 times what it costs', { hints: undefined, lastScan: lastScan(900), pollEvery: 2_000 }, 17_100],
    ['soon after a hint', { hints: burst(300, 300), lastScan: lastScan(5), pollEvery: 2_000 }, 450],
    ['when a burst is over', { hints: burst(300, 800), lastScan: lastScan(5), pollEvery: 2_000 }, 950],
    [
      'when a burst takes too long',
      { hints: burst(300, 1_290), lastScan: lastScan(5), pollEvery: 5_000 },
      1_300,
    ],
    [
      'after a hint, when it costs much',
      { hints: burst(1, 1), lastScan: lastScan(900), pollEvery: 2_000 },
      3_600,
    ],
    [
      'at the latest as without a hint',
      { hints: burst(1_900, 1_900), lastScan: lastScan(1), pollEvery: 2_000 },
      2_000,
    ],
  ]
  for (const [name, times, after] of table) {
    it(name, () => expect(dueTime(times)).toBe(10_000 + after))
  }
})

describe('without any event of the system', () => {
  it('a change is found by looking now and then', async () => {
    const { root, clock, untilTold, told } = await watched()
    await clock.untilSleepers(1)
    await fill(root, { 'deep/lost': '1' })
    await clock.advance(1_999)
    expect(told()).toEqual([])
    await clock.advance(1)
    await untilTold()
    expect(told()).toEqual(['created deep/lost'])

    await rm(join(root, 'deep'), { recursive: true })
    await clock.untilSleepers(1)
    await clock.advance(2_000)
    await untilTold()
    expect(told()).toEqual(['deleted deep/lost'])
  })

  it('a hint makes the look come earlier, for all that happened', async () => {
    const { root, clock, watch, untilTold, told } = await watched()
    await clock.untilSleepers(1)
    await fill(root, { a: '', 'deep/b': '' })
    watch.hint(join(root, 'a'))
    await clock.advance(149)
    expect(told()).toEqual([])
    await clock.advance(1)
    await untilTold()
    await clock.untilSleepers(1)
    expect(told()).toEqual(['created a', 'created deep/b'])
  })

  it('hints in a row are one look, after a second at the latest', async () => {
    const { root, clock, watch, untilTold, told } = await watched({ patterns: ['/src'] })
    await clock.untilSleepers(1)
    await fill(root, { 'src/a': '' })
    for (let at = 0; at < 1_000; at += 100) {
      watch.hint('src/a')
      await clock.advance(99)
      expect(told()).toEqual([])
      await clock.advance(1)
    }
    await untilTold()
    expect(told()).toEqual(['created src/a'])
  })

  it('a hint about something that is not selected changes nothing', async () => {
    const { root, clock, watch, untilTold, told } = await watched({ patterns: ['/src'] })
    await clock.untilSleepers(1)
    await fill(root, { 'src/a': '' })
    for (const path of ['other/file', join(root, 'read_only_data_source/x'), '.git/index']) watch.hint(path)
    await clock.advance(1_000)
    expect(told()).toEqual([])
    watch.hint('./other/../src/a')
    await clock.advance(150)
    await untilTold()
    expect(told()).toEqual(['created src/a'])
  })
})

/** Listens in place of the system: a test says what happens in which directory. */
function fakeSystem({ refuseAfter = Number.POSITIVE_INFINITY, closed = '' } = {}) {
  const listeners = new Map<string, DirectoryListener>()
  const refuse = (code: string) => Object.assign(new Error(code), { code })
  const listen: Listen = (directory, listener) => {
    if (listeners.size >= refuseAfter) throw refuse('ENOSPC')
    if (directory.endsWith(`/${closed}`)) throw refuse('EACCES')
    listeners.set(directory, listener)
    return { close: () => void listeners.delete(directory) }
  }
  return { listen, listeners }
}

/** The baseline and the look that follows because directories are newly heard. */
async function started(workspace: Watched): Promise<void> {
  await workspace.watch.settle()
  await workspace.watch.settle()
  await workspace.clock.untilSleepers(1)
}

describe('events of the system', () => {
  it('are asked for in every directory that may hold something, as directories come and go', async () => {
    const { listen, listeners } = fakeSystem()
    const files = { 'src/a/b.ts': '', 'src/.git/x': '', 'other/c.ts': '', 'read_only_data_source/d': '' }
    const { root, settled, watch } = await watched({ listen, files, patterns: ['src/**/*.ts'] })
    const heard = () => [...listeners.keys()].map(path => path.slice(root.length)).sort()
    expect(heard()).toEqual(['', '/src', '/src/a'])
    await fill(root, { 'src/new/er/e.ts': '' })
    await rm(join(root, 'src/a'), { recursive: true })
    await settled()
    expect(heard()).toEqual(['', '/src', '/src/new', '/src/new/er'])
    await watch.close()
    expect(heard()).toEqual([])
  })

  it('are asked for anew when a directory takes the place of another', async () => {
    const { listen, listeners } = fakeSystem()
    const { root, settled } = await watched({ listen, files: { 'a/b': '1' } })
    const before = listeners.get(join(root, 'a'))
    await settled()
    expect(listeners.get(join(root, 'a'))).toBe(before)
    await rm(join(root, 'a'), { recursive: true })
    await fill(root, { 'a/b': '1' })
    await settled()
    expect(listeners.get(join(root, 'a'))).not.toBe(before)
  })

  it('bring a look forward, if they may matter', async () => {
    const { listen, listeners } = fakeSystem()
    const workspace = await watched({
      listen,
      files: { 'src/a.ts': '', 'src/b.log': '' },
      patterns: ['src/*.ts'],
    })
    const { root, clock, untilTold, told } = workspace
    await started(workspace)
    await fill(root, { 'src/a.ts': '22', 'src/b.log': '22' })
    const source = listeners.get(join(root, 'src'))
    source?.onEvent('change', 'b.log')
    await clock.advance(1_500)
    expect(told()).toEqual([])
    source?.onEvent('change', 'a.ts')
    await clock.advance(150)
    await untilTold()
    expect(told()).toEqual(['modified src/a.ts'])
  })

  it('that came before a directory was heard are made up for soon', async () => {
    const { root, clock, untilTold, told } = await watched({ listen: fakeSystem().listen })
    await clock.untilSleepers(1)
    await fill(root, { early: '' })
    await clock.advance(150)
    await untilTold()
    expect(told()).toEqual(['created early'])
  })

  it('that get lost are made up for', async () => {
    const workspace = await watched({ listen: fakeSystem().listen })
    await started(workspace)
    await fill(workspace.root, { lost: '' })
    await workspace.clock.advance(5_000)
    await workspace.untilTold()
    expect(workspace.told()).toEqual(['created lost'])
  })

  it('that the system refuses are noted once, and looks come as often as without', async () => {
    const { listen, listeners } = fakeSystem({ refuseAfter: 2 })
    const workspace = await watched({ listen, files: { 'a/1': '', 'b/2': '', 'c/3': '' } })
    const { root, clock, notes, untilTold, told } = workspace
    await started(workspace)
    expect(listeners.size).toBe(2)
    expect(notes).toEqual([{ kind: 'polling', message: expect.stringContaining('ENOSPC') }])
    await fill(root, { 'c/new': '' })
    await clock.advance(2_000)
    await untilTold()
    expect(told()).toEqual(['created c/new'])
    expect(notes).toHaveLength(1)
  })

  it('of a directory that is closed to us are missed, and no others', async () => {
    const { listen, listeners } = fakeSystem({ closed: 'b' })
    const workspace = await watched({ listen, files: { 'a/1': '', 'b/2': '', 'c/3': '' } })
    const { root, clock, notes, untilTold, told } = workspace
    await started(workspace)
    expect([...listeners.keys()]).toEqual([root, join(root, 'a'), join(root, 'c')])
    await fill(root, { 'b/new': '' })
    await clock.advance(1_999)
    expect(told()).toEqual([])
    await clock.advance(1)
    await untilTold()
    expect(notes).toEqual([])
  })

  it('come from the real system too', async () => {
    let onHeard: () => void = () => undefined
    const untilHeard = () =>
      new Promise<void>(resolve => {
        onHeard = resolve
      })
    const listen: Listen = (directory, listener) =>
      listenToSystem(directory, {
        ...listener,
        onEvent(type, name) {
          listener.onEvent(type, name)
          onHeard()
        },
      })
    const workspace = await watched({ listen, files: { 'src/a': '' } })
    const { root, clock, untilTold, told } = workspace
    await started(workspace)
    for (const [path, line] of [
      ['src/a', 'modified src/a'],
      ['src/new/b', 'created src/new/b'],
    ] as const) {
      await Promise.all([untilHeard(), fill(root, { [path]: 'written' })])
      // The longest that a burst is waited for, and well before the look that comes anyway.
      await clock.advance(1_000)
      await untilTold()
      await workspace.watch.settle()
      expect(told()).toEqual([line])
      await clock.untilSleepers(1)
    }
  })
})
