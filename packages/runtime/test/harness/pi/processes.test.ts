import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { isProof, proofSeed, tally } from '../../../../../test/support/proof.ts'
import { findMarked, isAlive, systemClock } from '../../../src/kit/index.ts'
import type { Answer } from '../../../src/model-server/index.ts'
import { type Bench, inTurn, openBench, say } from './bench.ts'
import { program } from './worker-bundle.ts'

/** A worker may take long to start on a machine that has much to do. */
const patience = 60_000

/** Every way that a command has to leave the agent behind; each writes its process id. */
const runaways = [
  'sleep 300 & echo $! >> pids',
  'nohup sleep 301 > /dev/null 2>&1 & echo $! >> pids',
  'setsid sh -c "echo \\$\\$ >> pids; exec sleep 302" > /dev/null 2>&1 &',
  '(setsid sh -c "trap \\"\\" TERM; echo \\$\\$ >> pids; while :; do sleep 1; done" > /dev/null 2>&1 &)',
  'while [ "$(wc -l < pids)" -lt 4 ]; do sleep 0.05; done',
]

function bash(command: string): Answer {
  return { kind: 'message', parts: [{ kind: 'use', use: 'bash', input: { command } }] }
}

async function pidsOf({ cwd }: Bench): Promise<readonly number[]> {
  const text = await readFile(join(cwd, 'pids'), 'utf8')
  return text.trim().split('\n').map(Number)
}

/** Commands that leave, and one that stays until it is stopped. */
const endless = [...runaways, 'echo $$ >> pids; touch ready; sleep 303'].join('\n')

async function expectNothingLeft(bench: Bench, count: number): Promise<void> {
  const pids = await pidsOf(bench)
  expect(pids).toHaveLength(count)
  expect(pids.filter(isAlive)).toEqual([])
  expect(await findMarked(bench.marker)).toEqual([])
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await systemClock.sleep(20)
}

async function isReady({ cwd }: Bench): Promise<boolean> {
  return readFile(join(cwd, 'ready')).then(
    () => true,
    () => false,
  )
}

verifies(
  ['d8/end-sweep'],
  'nothing that a command left behind outlives a task that ended well',
  async () => {
    const bench = await openBench({ respond: inTurn(bash(runaways.join('\n')), say('Done.')) })
    const { end } = await bench.run()
    expect(end).toEqual({ ok: true })
    await expectNothingLeft(bench, 4)
  },
  patience,
)

/**
 * Leaves the group, the marker, its parent and, with a `HOME` of its own, the workspace. What is left is that it was met while
 * its parent lived.
 */
const forgetful = `
env -i HOME=/ setsid sh -c 'echo $$ > pids; cd /; exec sleep 300' > /dev/null 2>&1 &
sleep 1.5`

verifies(
  ['d8/end-sweep'],
  'a descendant that dropped group, marker and parent ends with the task all the same',
  async () => {
    const bench = await openBench({ respond: inTurn(bash(forgetful), say('Done.')) })
    const { end } = await bench.run()
    expect(end).toEqual({ ok: true })
    await expectNothingLeft(bench, 1)
  },
  patience,
)

verifies(
  ['d8/end-sweep'],
  'nothing outlives a task that was stopped, and it ends in time',
  async () => {
    const bench = await openBench({ respond: inTurn(bash(endless), say('Done.')) })
    const stop = new AbortController()
    let stoppedAt = 0
    void until(() => isReady(bench)).then(() => {
      stoppedAt = systemClock.monotonic()
      stop.abort()
    })
    const { end, of } = await bench.run({}, stop.signal)
    expect(systemClock.monotonic() - stoppedAt).toBeLessThan(7_000)
    expect(end).toMatchObject({ exit: { type: 'killed', signal: 'SIGTERM' } })
    expect(of('tool-call')).toHaveLength(1)
    expect(of('usage')).toHaveLength(1)
    await expectNothingLeft(bench, 5)
  },
  patience,
)

verifies(
  ['d8/retriable-crash'],
  'a worker that is killed is a crash, and takes its commands along',
  async () => {
    const bench = await openBench({ respond: inTurn(bash(`echo $PPID > worker\n${endless}`), say('Done.')) })
    void until(() => isReady(bench)).then(async () => {
      process.kill(Number(await readFile(join(bench.cwd, 'worker'), 'utf8')), 'SIGKILL')
    })
    const { end } = await bench.run()
    expect(end).toMatchObject({
      exit: { type: 'killed', signal: 'SIGKILL' },
      reason: { retriable: true, message: 'The agent worker was ended by SIGKILL without a result.' },
    })
    await expectNothingLeft(bench, 5)
  },
  patience,
)

verifies(
  ['d8/server-death'],
  'ten seconds after the server was killed, nothing of the agent is left',
  async () => {
    const bench = await openBench({ respond: inTurn(bash(endless), say('Done.')) })
    const [server, worker] = await Promise.all([program('server'), program('agent-worker')])
    const { onRaw: _raw, nextPrompt: _next, ...task } = bench.spec()
    const child = spawn(server.command, [...server.args, ...worker.args, JSON.stringify(task)], {
      stdio: 'ignore',
      env: {},
    })
    await until(() => isReady(bench))
    child.kill('SIGKILL')
    const killedAt = systemClock.monotonic()
    await until(async () => (await findMarked(bench.marker)).length === 0)
    expect(systemClock.monotonic() - killedAt).toBeLessThan(10_000)
    await expectNothingLeft(bench, 5)
  },
  patience,
)

test(
  'stopped at any moment, a task ends once, in time, and leaves nothing',
  async () => {
    const moments = fc.sample(fc.integer({ min: 0, max: 5_000 }), {
      numRuns: isProof ? 40 : 1,
      seed: proofSeed ?? 7,
    })
    for (const moment of moments) {
      const command = 'setsid sleep 300 > /dev/null 2>&1 & sleep 0.1'
      const bench = await openBench({ respond: () => bash(command) })
      const stop = new AbortController()
      let stoppedAt = Number.POSITIVE_INFINITY
      void systemClock.sleep(moment).then(() => {
        stoppedAt = systemClock.monotonic()
        stop.abort()
      })
      const { events, end } = await bench.run({}, stop.signal)
      expect(systemClock.monotonic() - stoppedAt).toBeLessThan(9_000)
      expect(end).toMatchObject({ ok: false, exit: { type: 'killed', signal: 'SIGTERM' } })
      expect(events.findLastIndex(({ type }) => type === 'session')).toBeLessThan(1)
      expect(events.findIndex(({ type }) => type === 'ended')).toBe(events.length - 1)
      expect(await findMarked(bench.marker)).toEqual([])
    }
    tally('stops at any moment', moments.length)
  },
  isProof ? 600_000 : patience,
)
