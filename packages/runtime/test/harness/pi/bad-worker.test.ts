import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { createTestClock } from '../../../../../test/support/test-clock.ts'
import type { HarnessEnd, HarnessEvent } from '../../../src/harness/index.ts'
import { createEmbeddedHarness } from '../../../src/harness/pi/pi-harness.ts'
import { findMarked, systemClock } from '../../../src/kit/index.ts'
import { openBench, play, say } from './bench.ts'
import { program } from './worker-bundle.ts'

async function benchWith(way: string) {
  return openBench({ respond: () => say('ok'), worker: await program('bad-worker'), env: { WAY: way } })
}

async function endOf(way: string): Promise<HarnessEnd> {
  const bench = await benchWith(way)
  const { end } = await bench.run()
  expect(await findMarked(bench.marker)).toEqual([])
  return end
}

const crash = (exit: object, message: string | RegExp) => ({
  ok: false,
  exit,
  reason: { type: 'api-error', retriable: true, message: expect.stringMatching(message) },
})

describe('a worker that ends without a result', () => {
  verifies(['d8/retriable-crash'], 'is a crash with its code and its last words', async () => {
    expect(await endOf('dies with words')).toEqual(
      crash({ type: 'error', code: 3 }, /ended with code 3 without a result.*it hurts here/s),
    )
  })

  verifies(['d8/retriable-crash'], 'is a crash with the signal that ended it', async () => {
    expect(await endOf('dies of a signal')).toEqual(
      crash({ type: 'killed', signal: 'SIGKILL' }, 'was ended by SIGKILL'),
    )
  })

  test('is a crash also when it says that all is well', async () => {
    expect(await endOf('leaves without a word')).toEqual(
      crash({ type: 'error', code: 1 }, 'ended with code 0'),
    )
  })
})

describe('a worker that does not speak our language', () => {
  test.each([
    ['writes garbage', 'something that is not a message'],
    ['writes an unknown message', 'a message of an unknown shape'],
    ['writes without end', 'a message of more than 32 MiB'],
  ])('%s and is ended', async (way, message) => {
    expect(await endOf(way)).toEqual(crash({ type: 'error', code: 1 }, message))
  })

  test('closes its pipe and is ended', async () => {
    expect(await endOf('closes its pipe')).toEqual(crash({ type: 'killed', signal: 'SIGTERM' }, 'SIGTERM'))
  })
})

test('a flood of messages waits in the worker for as long as nobody takes them', async () => {
  const bench = await benchWith('floods with messages')
  const stop = new AbortController()
  const before = process.memoryUsage().rss
  let taken = 0
  for await (const event of bench.harness.start(bench.spec(), stop.signal)) {
    taken++
    if (taken === 5_000) {
      expect(process.memoryUsage().rss - before).toBeLessThan(100 << 20)
      stop.abort()
    }
    if (event.type === 'ended') expect(event.end).toMatchObject({ exit: { type: 'killed' } })
  }
  expect(await findMarked(bench.marker)).toEqual([])
})

test('whoever stops listening ends the worker', async () => {
  const bench = await benchWith('floods with messages')
  for await (const _ of bench.harness.start(bench.spec(), new AbortController().signal)) break
  expect(await findMarked(bench.marker)).toEqual([])
})

/** The steps of ending a worker, by a clock that only moves when a test says so. */
async function climb(way: string) {
  const bench = await benchWith(way)
  const clock = createTestClock()
  const harness = createEmbeddedHarness({ worker: await program('bad-worker'), clock })
  const stop = new AbortController()
  const events: HarnessEvent[] = []
  const done = (async () => {
    for await (const event of harness.start(bench.spec(), stop.signal)) {
      events.push(event)
      if (event.type === 'session') stop.abort()
    }
  })()
  return { clock, events, done, alive: () => findMarked(bench.marker) }
}

const stopped = {
  ok: false,
  exit: { type: 'killed', signal: 'SIGTERM' },
  reason: { type: 'unknown', retriable: false, message: 'The agent was stopped.' },
}

describe('ending a worker', () => {
  verifies(
    ['d8/end-sigkill', 'safety/I8'],
    'asks, then tells it, and kills one that will not go after five seconds',
    async () => {
      const { clock, events, done, alive } = await climb('will not go')
      await clock.untilSleepers(1)
      await clock.advance(4_000)
      await clock.untilSleepers(1)
      await clock.advance(4_999)
      expect(await alive()).toHaveLength(1)
      await clock.advance(2)
      await done
      expect(events.at(-1)).toEqual({ type: 'ended', end: stopped })
      expect(await alive()).toEqual([])
    },
  )

  verifies(['safety/I8'], 'kills one that is stopped', async () => {
    const { clock, events, done, alive } = await climb('is stopped')
    await clock.untilSleepers(1)
    await vi.waitFor(async () => {
      const [pid] = await alive()
      expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) T /)
    }, 10_000)
    await clock.advance(4_000)
    await clock.untilSleepers(1)
    await clock.advance(5_001)
    await done
    expect(events.at(-1)).toEqual({ type: 'ended', end: stopped })
    expect(await alive()).toEqual([])
  })

  verifies(['d8/end-sigterm-group'], 'hears what it has to say at SIGTERM', async () => {
    const { clock, events, done } = await climb('says one thing more when it is told to go')
    await clock.untilSleepers(1)
    await clock.advance(4_000)
    await done
    expect(events.map(({ type }) => type)).toEqual(['session', 'text', 'ended'])
  })
})

test('a turn that ends after the task was stopped is followed by no other', async () => {
  const bench = await benchWith('ends its turn when it is asked to stop')
  const stop = new AbortController()
  let asked = 0
  const spec = bench.spec({
    nextPrompt() {
      asked++
      return 'more'
    },
  })
  for await (const event of bench.harness.start(spec, stop.signal)) {
    if (event.type === 'session') stop.abort()
    if (event.type === 'ended') expect(event.end).toEqual(stopped)
  }
  expect(asked).toBe(0)
})

test('what a worker said before it ended is heard, however late', async () => {
  const bench = await benchWith('says one thing more when it is asked to stop')
  const stop = new AbortController()
  const types: string[] = []
  for await (const { type } of bench.harness.start(bench.spec(), stop.signal)) {
    types.push(type)
    if (type !== 'session') continue
    stop.abort()
    while ((await findMarked(bench.marker)).length > 0) await systemClock.sleep(20)
    await systemClock.sleep(100)
  }
  expect(types).toEqual(['session', 'text', 'ended'])
})

describe('a worker that cannot be started', () => {
  verifies(['d8/final-launch-failure'], 'is a failure that trying again does not mend', async () => {
    const bench = await openBench({
      respond: () => say('ok'),
      worker: { command: '/not/there', args: [] },
    })
    expect((await bench.run()).events).toEqual([
      {
        type: 'ended',
        end: {
          ok: false,
          exit: { type: 'error', code: 1 },
          reason: {
            type: 'unknown',
            retriable: false,
            message: expect.stringContaining('could not be started'),
          },
        },
      },
    ])
  })

  test('nor in a workspace that is not there', async () => {
    const bench = await openBench({ respond: () => say('ok') })
    const { end } = await bench.run({ cwd: '/not/there' })
    expect(end).toMatchObject({ reason: { retriable: false } })
  })
})

test('an address that is none ends the task before a worker is started', async () => {
  const bench = await openBench({ respond: () => say('ok') })
  const { events } = await bench.run({ env: { ANTHROPIC_BASE_URL: 'nonsense' } })
  expect(events).toMatchObject([
    { type: 'ended', end: { reason: { message: 'ANTHROPIC_BASE_URL is not an http or https address.' } } },
  ])
})

test('a task that was stopped before it began starts nothing', async () => {
  const bench = await openBench({ respond: () => say('ok') })
  const { events } = await play(bench.harness, bench.spec(), AbortSignal.abort())
  expect(events).toEqual([{ type: 'ended', end: stopped }])
  expect(await findMarked(bench.marker)).toEqual([])
})
