import type { Options, SpawnedProcess } from '@anthropic-ai/claude-agent-sdk'
import { expect, test, vi } from 'vitest'
import { memoryLog } from '../../../../../test/support/memory-log.ts'
import type { SdkModule } from '../../../src/harness/claude/sdk.ts'
import { findMarked } from '../../../src/kit/index.ts'
import { type Act, say, script, setStage } from './stage.ts'

type Play = (child: SpawnedProcess) => AsyncGenerator<object, void>

/** An SDK that behaves as no released one does; `cat` stands in for its program. */
function strange(play: Play): () => Promise<SdkModule> {
  const query = ({ options }: { readonly options?: Options }) => {
    const child = options?.spawnClaudeCodeProcess?.({
      command: '/bin/cat',
      args: [],
      env: options.env ?? {},
      signal: new AbortController().signal,
    })
    if (!child) throw new Error('nobody starts the program')
    return Object.assign(play(child), {
      interrupt: () => Promise.reject(new Error('no')),
      close: () => undefined,
    })
  }
  // The one place where a stand-in is taken for the real thing: an SDK has some forty methods that nobody calls here.
  return () => Promise.resolve({ query } as unknown as SdkModule)
}

const init = { type: 'system', subtype: 'init', session_id: 'x' }
const good = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'ok',
  total_cost_usd: 0,
  modelUsage: {},
}

async function perform(play: Play, act: Act = {}) {
  const stage = await setStage(script(say('never')))
  const log = memoryLog()
  const performance = await stage.act({ options: { load: strange(play), log, graceMs: 300 }, ...act })
  expect(performance.survivors).toEqual([])
  return { ...performance, log }
}

test('messages of unknown kinds are kept, counted and no trouble', async () => {
  const { events, end, raw, log } = await perform(async function* (child) {
    yield init
    yield { type: 'confetti' }
    yield { type: 'confetti', message: null }
    yield { type: 'system', subtype: 'fireworks' }
    yield good
    child.stdin.end()
  })
  expect(end).toMatchObject({ ok: true })
  expect(raw).toHaveLength(5)
  expect(events[0]).toMatchObject({ type: 'session' })
  expect(log.entries).toMatchObject([{ level: 'warn', fields: { confetti: 2, 'system/fireworks': 1 } }])
})

test('what is thrown after a result does not undo it, and a program that stays is stopped', async () => {
  const { end } = await perform(async function* () {
    yield init
    yield good
    throw new Error('an afterthought')
  })
  expect(end).toMatchObject({ ok: true })
})

test('nobody is asked for more after a stop, also when the turn went well', async () => {
  const stop = new AbortController()
  const nextPrompt = vi.fn(() => 'more')
  const play: Play = async function* (child) {
    yield init
    stop.abort()
    yield good
    child.stdin.end()
  }
  const { end } = await perform(play, { signal: stop.signal, nextPrompt })
  expect(end).toMatchObject({ ok: false, exit: { type: 'killed', signal: 'SIGTERM' } })
  expect(nextPrompt).not.toHaveBeenCalled()
})

test('an SDK that gives up without a result is a crash in its own words', async () => {
  const { end } = await perform(async function* () {
    yield init
    throw new Error('the pipe is bent')
  })
  expect(end).toMatchObject({
    ok: false,
    reason: { retriable: true, message: expect.stringContaining('the pipe is bent') },
  })
})

test('an SDK that does not notice the end of its program is not waited for', async () => {
  const { end } = await perform(async function* (child) {
    yield init
    child.stdin.end()
    await new Promise(() => undefined)
  })
  expect(end).toMatchObject({ ok: false, exit: { type: 'error' }, reason: { retriable: true } })
})

test('a program that was started in vain is ended', async () => {
  const stage = await setStage(script(say('never')))
  const load = strange(() => {
    throw new Error('changed my mind')
  })
  const { end } = await stage.act({ options: { load } })
  expect(end).toMatchObject({ ok: false, reason: { retriable: false, message: 'changed my mind' } })
  await expect.poll(() => findMarked(stage.marker)).toEqual([])
})
