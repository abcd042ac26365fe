import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { HarnessSpec } from '../../../src/harness/index.ts'
import { createEmbeddedHarness } from '../../../src/harness/pi/pi-harness.ts'
import { findMarked, isAlive, systemClock } from '../../../src/kit/index.ts'
import type { Answer, ModelRequest } from '../../../src/model-server/index.ts'
import { inTurn, openBench, play, say } from './bench.ts'
import { program } from './worker-bundle.ts'

const tellWorker: Answer = {
  kind: 'message',
  parts: [{ kind: 'use', use: 'bash', input: { command: 'echo $PPID >> workers' } }],
}

async function workersOf(cwd: string): Promise<readonly number[]> {
  return (await readFile(join(cwd, 'workers'), 'utf8')).trim().split('\n').map(Number)
}

test('further turns go on in the same session and process, until there is no prompt or the context is full', async () => {
  const heard: ModelRequest[] = []
  const answers = inTurn(tellWorker, say('one'), tellWorker, say('two'), { kind: 'overflow' })
  const bench = await openBench({
    respond: request => {
      heard.push(request)
      return answers()
    },
  })
  const prompts = ['more', 'and more', 'never']
  const { events, end, of } = await bench.run({ nextPrompt: () => prompts.shift() })

  expect(new Set(await workersOf(bench.cwd)).size).toBe(1)
  expect(await workersOf(bench.cwd)).toHaveLength(2)
  const asked = heard.at(-1)?.turns.filter(({ role, text }) => role === 'user' && text !== '')
  expect(asked?.map(({ text }) => text)).toEqual(['Do it.', 'more', 'and more'])
  expect(of('session')).toHaveLength(1)
  expect(events.slice(-2).map(({ type }) => type)).toEqual(['context-full', 'ended'])
  expect(end).toMatchObject({ ok: false, reason: { retriable: false, message: 'The context is full.' } })
  expect(prompts).toEqual(['never'])
}, 60_000)

describe('a worker that was made ready', () => {
  const open = async () =>
    openBench({
      respond: () => say('ok'),
      worker: await program('bad-worker'),
      env: { WAY: 'does its work' },
    })

  test('takes the task over', async () => {
    const bench = await open()
    bench.harness.prepare?.(bench.spec())
    const [prepared] = await untilMarked(bench.marker)
    const { end, sessionId } = await bench.run()
    expect(end).toEqual({ ok: true })
    expect(Number(sessionId)).toBe(prepared)
    expect(await findMarked(bench.marker)).toEqual([])
  })

  test.each<[string, Partial<HarnessSpec>]>([
    ['codon', { codonId: 'other' }],
    ['model', { model: 'claude-opus-4-5' }],
    ['environment', { env: { WAY: 'does its work', ANTHROPIC_API_KEY: 'another' } }],
    ['setting', { autoCompact: true }],
  ])('is not used for another %s', async (_what, given) => {
    const bench = await open()
    bench.harness.prepare?.(bench.spec())
    const [prepared] = await untilMarked(bench.marker)
    const { end, sessionId } = await bench.run(given)
    expect(end).toEqual({ ok: true })
    expect(Number(sessionId)).not.toBe(prepared)
    await bench.harness.close?.()
    expect(await findMarked(bench.marker)).toEqual([])
  })

  test.each([
    ['long ago', true],
    ['just now', false],
  ])('is replaced when it died %s', async (_when, isKnown) => {
    const bench = await open()
    bench.harness.prepare?.(bench.spec())
    const [dead = 0] = await untilMarked(bench.marker)
    process.kill(dead, 'SIGKILL')
    // Its death is known once the event loop has come round.
    while (isKnown && isAlive(dead)) await systemClock.sleep(50)
    const { end, of } = await bench.run()
    expect(end).toEqual({ ok: true })
    expect(of('session')).toHaveLength(1)
  })

  test('ends when it is not needed', async () => {
    const bench = await openBench({ respond: () => say('ok') })
    bench.harness.prepare?.(bench.spec())
    bench.harness.prepare?.(bench.spec({ codonId: 'other' }))
    await untilMarked(bench.marker)
    await bench.harness.close?.()
    expect(await findMarked(bench.marker)).toEqual([])
    expect(bench.server.requests).toEqual([])
  })
})

test('whoever is to end a runaway is told of every worker, and when it is gone', async () => {
  const bench = await openBench({ respond: () => say('ok'), env: { WAY: 'does its work' } })
  const told: (string | number)[] = []
  const own = (leader: number) => {
    told.push(leader)
    return () => void told.push('gone')
  }
  const harness = createEmbeddedHarness({ worker: await program('bad-worker'), own })
  const { sessionId } = await play(harness, bench.spec())
  expect(told).toEqual([Number(sessionId), 'gone'])
  const missing = createEmbeddedHarness({ worker: { command: '/not/there', args: [] }, own })
  await play(missing, bench.spec())
  expect(told).toHaveLength(2)
})

test('a worker without its packages says what to install', async () => {
  const bench = await openBench({ respond: () => say('ok') })
  const { args, command } = await program('agent-worker')
  const alone = join(bench.cwd, 'worker.mjs')
  await writeFile(alone, await readFile(args[0] ?? ''))
  const harness = createEmbeddedHarness({ worker: { command, args: [alone] } })
  const { events } = await play(harness, bench.spec())
  expect(events).toMatchObject([
    {
      type: 'ended',
      end: {
        ok: false,
        reason: { retriable: false, message: expect.stringContaining('Install it: weave harness add pi') },
      },
    },
  ])
})

async function untilMarked(marker: Parameters<typeof findMarked>[0]): Promise<readonly number[]> {
  for (;;) {
    const found = await findMarked(marker)
    if (found.length > 0) return found
    await systemClock.sleep(10)
  }
}
