import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createTestClock, type TestClock } from '../../../../test/support/test-clock.ts'
import { isAlive, processStartTime } from '../../src/kit/index.ts'
import {
  acquireLock,
  describeHolder,
  type ExecutionLock,
  executionLayout,
  type LockRecord,
  type LockResult,
  readLock,
} from '../../src/workspace/index.ts'
import { claimFile } from '../../src/workspace/lock-chain.ts'
import { lockId } from '../../src/workspace/lock-record.ts'
import { LockLost } from '../../src/workspace/own-lock.ts'

interface Scene {
  readonly lockFile: string
  readonly clock: TestClock
  readonly losses: string[]
  take(runId?: string): Promise<LockResult>
}

async function scene(): Promise<Scene> {
  const { internals, lockFile } = executionLayout(await tempDir({ inMemory: true }))
  await mkdir(internals)
  const clock = createTestClock()
  const losses: string[] = []
  const onLost = (reason: string) => void losses.push(reason)
  const take = (runId = 'run_1') => acquireLock({ lockFile, runId, clock, onLost })
  return { lockFile, clock, losses, take }
}

function acquired(result: LockResult): ExecutionLock {
  if (result.kind !== 'acquired') throw new Error(result.message)
  onTestFinished(() => void result.lock.release())
  return result.lock
}

/** Another process that lives until the test ends. */
async function stranger(): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
  return child as ChildProcess & { readonly pid: number }
}

function recordOf(pid: number, clock: TestClock, change: Partial<LockRecord> = {}): LockRecord {
  const now = clock.now().toISOString()
  const pidStartTime = processStartTime(pid) ?? ''
  return { pid, pidStartTime, runId: 'run_0', startTime: now, lastHeartbeat: now, port: 4711, ...change }
}

/** As if its owner had made the file itself. */
async function plantOwn(lockFile: string, record: LockRecord): Promise<void> {
  await writeFile(lockFile, '')
  await writeFile(lockFile, JSON.stringify({ ...record, inode: String((await stat(lockFile)).ino) }))
}

const written = async (lockFile: string): Promise<LockRecord> => JSON.parse(await readFile(lockFile, 'utf8'))

describe('a lock that is held', () => {
  verifies(
    ['d3/lock-fields', 'd14/lock-host'],
    'says who holds it since when and where, for the owner only',
    async () => {
      const { lockFile, clock, take } = await scene()
      const lock = acquired(await take())
      const { pid } = process
      const now = clock.now().toISOString()
      const born = {
        pid,
        pidStartTime: processStartTime(pid),
        host: hostname(),
        inode: String((await stat(lockFile)).ino),
        runId: 'run_1',
        startTime: now,
        lastHeartbeat: now,
      }
      expect(await written(lockFile)).toEqual({ ...born, port: 0 })
      lock.update({ port: 40123, proxyPort: 40124, token: 'secret' })
      expect(await written(lockFile)).toEqual({ ...born, port: 40123, proxyPort: 40124, token: 'secret' })
      expect((await stat(lockFile)).mode & 0o777).toBe(0o600)
      expect(await readdir(dirname(lockFile))).toEqual(['lock.json'])
    },
  )

  verifies(['d3/lock-heartbeat'], 'is renewed every five seconds', async () => {
    const { lockFile, clock, take, losses } = await scene()
    acquired(await take())
    await clock.advance(4_999)
    expect((await written(lockFile)).lastHeartbeat).toBe('2026-01-01T00:00:00.000Z')
    await clock.advance(1)
    expect((await written(lockFile)).lastHeartbeat).toBe('2026-01-01T00:00:05.000Z')
    await clock.advance(60_000)
    expect((await written(lockFile)).lastHeartbeat).toBe('2026-01-01T00:01:05.000Z')
    expect(losses).toEqual([])
  })

  verifies(
    ['d3/lock-live-kept', 'd3/lock-holder-named'],
    'is not taken; who asks is told pid, port and time',
    async () => {
      const { lockFile, clock, take } = await scene()
      const other = await stranger()
      const text = JSON.stringify(recordOf(other.pid, clock))
      await writeFile(lockFile, text)
      await clock.advance(60_000)
      expect(await take()).toMatchObject({
        kind: 'held',
        holder: { pid: other.pid, port: 4711, since: '2026-01-01T00:00:00.000Z' },
        message: `the execution is held by process ${other.pid} (port 4711) since 2026-01-01T00:00:00.000Z`,
      })
      expect(await readFile(lockFile, 'utf8')).toBe(text)
      expect(await readLock(lockFile, clock)).toMatchObject({ kind: 'held', silent: false })
      expect(await readdir(dirname(lockFile))).toEqual(['lock.json'])
    },
  )

  it('is not taken by a second attempt of the same process, however old its heartbeat', async () => {
    const { lockFile, clock, take } = await scene()
    await writeFile(lockFile, JSON.stringify(recordOf(process.pid, clock)))
    await clock.advance(3_600_000)
    expect(await take('run_2')).toMatchObject({ kind: 'held', holder: { pid: process.pid } })
  })

  it('is gone after its release, which may be asked for twice', async () => {
    const { lockFile, clock, take, losses } = await scene()
    const lock = acquired(await take())
    expect(lock.isHeld()).toBe(true)
    expect([lock.release(), lock.release()]).toEqual(['released', 'released'])
    expect(lock.isHeld()).toBe(false)
    lock.update({ port: 1 })
    await clock.advance(60_000)
    expect([await readdir(dirname(lockFile)), losses]).toEqual([[], []])
    expect(await readLock(lockFile, clock)).toEqual({ kind: 'free' })
    expect((await take('run_2')).kind).toBe('acquired')
  })

  it('shows every update whole, longer and shorter ones too', async () => {
    const { lockFile, clock, take } = await scene()
    const lock = acquired(await take())
    for (let port = 1; port <= 50; port++) {
      lock.update({ port })
      const state = await readLock(lockFile, clock)
      expect(state).toMatchObject({ kind: 'held', holder: { port } })
    }
    lock.update({ token: 't'.repeat(3_000) })
    lock.update({ token: 'short' })
    expect((await written(lockFile)).token).toBe('short')
  })
})

describe('a stale lock', () => {
  verifies(['d3/lock-stale-pid-gone'], 'of a process that has ended is taken over', async () => {
    const { lockFile, clock, take } = await scene()
    const other = await stranger()
    const record = recordOf(other.pid, clock)
    other.kill('SIGKILL')
    await once(other, 'exit')
    await writeFile(lockFile, JSON.stringify(record))
    expect(await readLock(lockFile, clock)).toMatchObject({ kind: 'stale', holder: { pid: other.pid } })
    expect(await take()).toMatchObject({ kind: 'acquired', tookOver: { pid: other.pid } })
    expect(await written(lockFile)).toMatchObject({ pid: process.pid })
    expect(await readdir(dirname(lockFile))).toEqual(['lock.json'])
  })

  verifies(
    ['d3/lock-stale-pid-reused'],
    'whose number now belongs to another process is taken over',
    async () => {
      const { lockFile, clock, take } = await scene()
      for (const pid of [(await stranger()).pid, process.pid]) {
        await writeFile(lockFile, JSON.stringify(recordOf(pid, clock, { pidStartTime: '1@another-boot' })))
        acquired(await take()).release()
      }
    },
  )

  verifies(
    ['d3/lock-stale-heartbeat'],
    'of a process that runs but has been silent for more than 60 s is taken over, if it stays silent',
    async () => {
      const { lockFile, clock, take } = await scene()
      const other = await stranger()
      await plantOwn(lockFile, recordOf(other.pid, clock))
      await clock.advance(60_001)
      expect(await readLock(lockFile, clock)).toMatchObject({ kind: 'held', silent: true })
      const taking = take()
      await clock.untilSleepers(1)
      await clock.advance(12_000)
      expect(await taking).toMatchObject({ kind: 'acquired', tookOver: { pid: other.pid } })
      // It could wake up and write on.
      expect(isAlive(other.pid)).toBe(false)
    },
  )

  it('whose holder only slept with the machine is not taken: it shows up while it is watched', async () => {
    const { lockFile, clock, take } = await scene()
    const other = await stranger()
    await writeFile(lockFile, JSON.stringify(recordOf(other.pid, clock)))
    clock.jumpWall(8 * 3_600_000)
    const taking = take()
    await clock.untilSleepers(1)
    const awake = recordOf(other.pid, clock, { startTime: '2026-01-01T00:00:00.000Z' })
    await writeFile(lockFile, JSON.stringify(awake))
    await clock.advance(12_000)
    expect(await taking).toMatchObject({ kind: 'held', holder: { pid: other.pid } })
  })

  it('that is torn counts as what its owner is', async () => {
    const { lockFile, clock, take } = await scene()
    const other = await stranger()
    const torn = JSON.stringify(recordOf(other.pid, clock)).slice(0, -20)
    await writeFile(lockFile, torn)
    expect(await take()).toMatchObject({ kind: 'held', holder: { pid: other.pid } })
    other.kill('SIGKILL')
    await once(other, 'exit')
    expect(await take()).toMatchObject({ kind: 'acquired', tookOver: { pid: other.pid } })
  })

  const nameless = ['', '{"pid": ', '\0'.repeat(24), 'not a lock', '{"pid": 0, "pidStartTime": ""']
  verifies(
    ['d14/lock-nobody'],
    'that does not say whose it is is left alone for 60 s after its last change, then taken, and kept aside',
    async () => {
      for (const content of nameless) {
        const { lockFile, clock, take } = await scene()
        await writeFile(lockFile, content)
        await utimes(lockFile, clock.now(), clock.now())
        await clock.advance(60_000)
        expect(await take()).toMatchObject({
          kind: 'failed',
          path: lockFile,
          cure: expect.stringContaining('again in a minute'),
        })
        expect(await readLock(lockFile, clock)).toMatchObject({ kind: 'unreadable' })
        expect(await readFile(lockFile, 'utf8')).toBe(content)
        await clock.advance(1)
        expect(await readLock(lockFile, clock)).toMatchObject({ kind: 'stale' })
        const result = await take()
        acquired(result)
        const keptAside = result.kind === 'acquired' ? (result.keptAside ?? '') : ''
        expect(await readFile(keptAside, 'utf8')).toBe(content)
        expect(await written(lockFile)).toMatchObject({ pid: process.pid })
        expect(await readdir(dirname(lockFile))).toEqual(['lock.json', basename(keptAside)])
      }
    },
  )
})

describe('a lock that is lost', () => {
  it('is told once, with the next heartbeat, and that of the successor stays untouched', async () => {
    const { lockFile, clock, take, losses } = await scene()
    const lock = acquired(await take())
    const successor = JSON.stringify(recordOf(process.pid, clock, { runId: 'another' }))
    await writeFile(`${lockFile}.new`, successor)
    await rename(`${lockFile}.new`, lockFile)
    expect(lock.isHeld()).toBe(false)
    await clock.advance(20_000)
    expect(losses).toEqual([`${lockFile} was taken over or removed`])
    expect(lock.release()).toBe('lost')
    expect(await readFile(lockFile, 'utf8')).toBe(successor)
    expect(await readdir(dirname(lockFile))).toEqual(['lock.json'])
  })

  it('is told when somebody deletes it', async () => {
    const { lockFile, clock, take, losses } = await scene()
    acquired(await take())
    await rm(lockFile)
    await clock.advance(5_000)
    expect(losses).toHaveLength(1)
  })

  verifies(
    ['d14/lock-lost-ends'],
    'is noticed before the next write, not with the next heartbeat: every further write is refused',
    async () => {
      const { lockFile, take, losses } = await scene()
      const lock = acquired(await take())
      lock.assertHeld()
      await rm(lockFile)
      expect(() => lock.assertHeld()).toThrow(LockLost)
      expect(losses).toEqual([`${lockFile} was taken over or removed`])
      await writeFile(lockFile, '')
      expect(() => lock.assertHeld()).toThrow(LockLost)
      expect(losses).toHaveLength(1)
    },
  )

  it('is told when a rival that found us silent has claimed it, before the rival is done', async () => {
    const { lockFile, clock, take, losses } = await scene()
    const lock = acquired(await take())
    const rival = await stranger()
    await writeFile(claimFile(lockFile, [lockId(lock.record())]), JSON.stringify(recordOf(rival.pid, clock)))
    expect(await take('run_3')).toMatchObject({ kind: 'held', holder: { pid: rival.pid } })
    await clock.advance(5_000)
    expect(losses).toHaveLength(1)
    expect(lock.release()).toBe('lost')
    expect(await written(lockFile)).toMatchObject({ pid: process.pid })
  })
})

describe('a lock that was taken from a machine or a place', () => {
  verifies(
    ['d14/lock-host'],
    'of another host is judged by its heartbeat alone, and the process of that number here is left alone',
    async () => {
      const { lockFile, clock, take } = await scene()
      const other = await stranger()
      const elsewhere = { host: 'elsewhere.invalid' }
      // Machines made from one image have one name.
      const namesake = { host: hostname(), pidStartTime: '1@another-boot' }
      const strangers = [
        [other.pid, elsewhere],
        [4_194_000, elsewhere],
        [4_194_000, namesake],
      ] as const
      for (const [pid, change] of strangers) {
        await plantOwn(lockFile, recordOf(pid, clock, change))
        await clock.advance(60_000)
        expect(await take()).toMatchObject({
          kind: 'held',
          message: expect.stringContaining(`process ${pid} on ${change.host}`),
        })
        expect(await readLock(lockFile, clock)).toMatchObject({ kind: 'held' })
        await clock.advance(1)
        expect(await readLock(lockFile, clock)).toMatchObject({ kind: 'stale', holder: { pid } })
        const taking = take()
        await clock.untilSleepers(1)
        await clock.advance(12_000)
        acquired(await taking).release()
      }
      expect(isAlive(other.pid)).toBe(true)
    },
  )

  it('is taken from a copy of an execution whose server works elsewhere, and that server goes on', async () => {
    const { lockFile, clock, take } = await scene()
    const other = await stranger()
    await writeFile(lockFile, JSON.stringify(recordOf(other.pid, clock, { inode: '1' })))
    await clock.advance(60_001)
    const taking = take()
    await clock.untilSleepers(1)
    await clock.advance(12_000)
    acquired(await taking)
    expect(isAlive(other.pid)).toBe(true)
  })

  it('stays with a silent process that cannot be ended, and says what to do', async () => {
    const { lockFile, clock, take } = await scene()
    const other = await stranger()
    await writeFile(lockFile, JSON.stringify(recordOf(other.pid, clock)))
    await clock.advance(60_001)
    const taking = take()
    await clock.untilSleepers(1)
    await clock.advance(12_000)
    expect(await taking).toMatchObject({
      kind: 'held',
      message: expect.stringContaining(`End process ${other.pid}, then try again`),
    })
    expect(isAlive(other.pid)).toBe(true)
    expect(await readdir(dirname(lockFile))).toEqual(['lock.json'])
  })
})

describe('a lock that cannot be taken', () => {
  it('because there is no directory is a value', async () => {
    const { lockFile, take } = await scene()
    await rm(dirname(lockFile), { recursive: true })
    expect(await take()).toMatchObject({ kind: 'failed', message: expect.stringContaining('ENOENT') })
  })

  it('because something else has its name is a value that says what to remove', async () => {
    const { lockFile, take, clock } = await scene()
    await mkdir(lockFile)
    const told = { path: lockFile, cure: expect.stringContaining(`delete ${lockFile}`) }
    expect(await take()).toMatchObject({ kind: 'failed', ...told })
    expect(await readLock(lockFile, clock)).toMatchObject({ kind: 'unreadable', cure: told.cure })
  })
})

it('describes a holder as far as it is known', () => {
  expect(describeHolder({ pid: 12 })).toBe('process 12')
  expect(describeHolder({ pid: 12, port: 80, since: 'noon' })).toBe('process 12 (port 80) since noon')
})
