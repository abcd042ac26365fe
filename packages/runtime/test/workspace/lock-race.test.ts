import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { fixtureProgram } from '../../../../test/support/fixture-program.ts'
import { isProof, tally } from '../../../../test/support/proof.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { systemClock } from '../../src/kit/index.ts'
import { acquireLock, executionLayout, type LockRecord } from '../../src/workspace/index.ts'
import { claimFile } from '../../src/workspace/lock-chain.ts'
import { lockId, recordBytes } from '../../src/workspace/lock-record.ts'
import type { Answer, Order } from './fixtures/lock-contender.ts'

/** Fifty in a proof. */
const contenders = isProof ? 50 : 16

describe(`${contenders} processes`, () => {
  let crowd: readonly ChildProcess[] = []
  beforeAll(async () => {
    crowd = await startContenders(contenders)
  }, 60_000)
  afterAll(() => {
    for (const child of crowd) child.kill('SIGKILL')
  })

  verifies(
    ['safety/I6', 'd3/lock-takeover-atomic', 'd3/lock-holder-named'],
    'of many that start at once one gets the lock and the others name it, also when a stale lock is in the way',
    async () => {
      const dead = await deadProcess()
      const kinds = Object.entries({
        'nothing there': async () => undefined,
        'the lock of a dead process': plantLock([dead]),
        'a take-over that was cut short': plantLock([dead, dead + 1_000_000]),
        'nothing there again': async () => undefined,
        'a torn lock of a dead process': plantTornLock(dead),
      })
      for (const [round, prepare] of Array.from({ length: isProof ? 4 : 1 }, () => kinds).flat()) {
        tally('simultaneous starts', crowd.length)
        const lockFile = await newLockFile()
        await prepare(lockFile)
        const answers = await Promise.all(
          crowd.map((child, at) => ask(child, { order: 'take', lockFile, runId: `${round}-${at}` })),
        )
        const winners = answers.filter(answer => answer.kind === 'acquired')
        const losers = answers.filter(answer => answer.kind === 'held')
        expect(winners, round).toHaveLength(1)
        expect(losers, round).toHaveLength(contenders - 1)
        const holder = winners[0]?.pid ?? 0
        expect([...new Set(losers.map(({ by }) => by))], round).toEqual([holder])
        expect(losers[0]?.message).toContain(`process ${holder}`)
        expect(JSON.parse(await readFile(lockFile, 'utf8')), round).toMatchObject({ pid: holder })
        const winner = crowd.find(child => child.pid === holder)
        expect(winner && (await ask(winner, { order: 'release' }))).toEqual({
          kind: 'released',
          how: 'released',
        })
        expect(await readdir(dirname(lockFile)), round).toEqual([])
      }
    },
    isProof ? 240_000 : 60_000,
  )

  verifies(
    ['d3/lock-stale-pid-gone'],
    'of those that find a holder killed with SIGKILL one takes over, and says from whom',
    async () => {
      const [holder, ...others] = crowd
      const lockFile = await newLockFile()
      if (!holder) throw new Error('no process')
      expect(await ask(holder, { order: 'take', lockFile, runId: 'first' })).toMatchObject({
        kind: 'acquired',
      })
      holder.kill('SIGKILL')
      await once(holder, 'exit')
      const answers = await Promise.all(
        others.map((child, at) => ask(child, { order: 'take', lockFile, runId: `next-${at}` })),
      )
      const winners = answers.filter(answer => answer.kind === 'acquired')
      expect(winners).toEqual([{ kind: 'acquired', pid: winners[0]?.pid, tookOver: holder.pid }])
      expect(answers.filter(answer => answer.kind === 'held')).toHaveLength(contenders - 2)
    },
    60_000,
  )
})

describe('killed at any step', () => {
  it.each(['fresh', 'take-over'])(
    'a %s leaves nothing that the next start cannot take',
    async how => {
      const program = await fixtureProgram(new URL('./fixtures/lock-and-die.ts', import.meta.url))
      const dead = await deadProcess()
      for (let step = 1; ; step++) {
        const lockFile = await newLockFile()
        if (how === 'take-over') await plantLock([dead])(lockFile)
        const run = spawnSync(process.execPath, [program, lockFile, String(step)], { encoding: 'utf8' })
        const next = await acquireLock({
          lockFile,
          runId: 'next',
          clock: systemClock,
          onLost: () => undefined,
        })
        expect(next.kind, `step ${step}`).toBe('acquired')
        if (next.kind === 'acquired') next.lock.release()
        expect(existsSync(lockFile), `step ${step}`).toBe(false)
        if (run.signal === 'SIGKILL') continue
        expect(run.stdout).toBe('acquired released\n')
        expect(step).toBeGreaterThan(7)
        return
      }
    },
    60_000,
  )
})

async function newLockFile(): Promise<string> {
  const layout = executionLayout(await tempDir({ inMemory: true }))
  await mkdir(layout.internals)
  return layout.lockFile
}

async function startContenders(count: number): Promise<readonly ChildProcess[]> {
  const program = await fixtureProgram(new URL('./fixtures/lock-contender.ts', import.meta.url))
  const crowd = Array.from({ length: count }, () => fork(program))
  await Promise.all(crowd.map(child => once(child, 'message')))
  return crowd
}

async function ask(child: ChildProcess, order: Order): Promise<Answer> {
  const answered = once(child, 'message') as Promise<[Answer]>
  child.send(order)
  return (await answered)[0]
}

/** The number of a process that has ended. */
async function deadProcess(): Promise<number> {
  const { pid } = spawnSync(process.execPath, ['--version'])
  return pid
}

function recordOf(pid: number): LockRecord {
  const time = new Date(0).toISOString()
  return { pid, pidStartTime: `${pid}@gone`, runId: 'old', startTime: time, lastHeartbeat: time, port: 4000 }
}

/** A lock, and a claim on it by each further process. */
function plantLock([first = 0, ...claimers]: readonly number[]): (lockFile: string) => Promise<void> {
  return async lockFile => {
    const ids = [lockId(recordOf(first))]
    await writeFile(lockFile, recordBytes(recordOf(first), 1024))
    for (const pid of claimers) {
      await writeFile(claimFile(lockFile, ids), recordBytes(recordOf(pid), 1024))
      ids.push(lockId(recordOf(pid)))
    }
  }
}

function plantTornLock(pid: number): (lockFile: string) => Promise<void> {
  return lockFile => writeFile(lockFile, recordBytes(recordOf(pid), 0).subarray(0, 60))
}
