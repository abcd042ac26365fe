import { expect, test, vi } from 'vitest'
import { createSdkHarness } from '../../../src/harness/claude/claude-harness.ts'
import type { Harness, HarnessEvent, HarnessSpec } from '../../../src/harness/index.ts'
import { findMarked } from '../../../src/kit/index.ts'
import { patience, say, script, setStage } from './stage.ts'

const soon = { timeout: patience }

async function finish(harness: Harness, spec: HarnessSpec) {
  const events: HarnessEvent[] = []
  for await (const event of harness.start(spec, new AbortController().signal)) events.push(event)
  return events
}

/** A harness that says which processes it started. */
function watched() {
  const leaders: number[] = []
  const own = (leader: number) => {
    leaders.push(leader)
    return () => undefined
  }
  return { leaders, harness: createSdkHarness({ own, graceMs: 1_000 }) }
}

test(
  'an agent made ready is the one that works, with a prompt that came later',
  async () => {
    const stage = await setStage(script(say('Fine.')))
    const { leaders, harness } = watched()
    const spec = stage.specOf({ systemPrompt: 'You are a heron.' })
    harness.prepare?.(spec)
    await vi.waitFor(() => expect(leaders).toHaveLength(1), soon)
    const events = await finish(harness, spec)
    expect(events.at(-1)).toMatchObject({ end: { ok: true } })
    expect(leaders).toHaveLength(1)
    expect(JSON.stringify(stage.server.requests.at(-1)?.body)).toContain('You are a heron.')
    expect(await findMarked(stage.marker)).toEqual([])
  },
  patience,
)

test(
  'an agent made ready for something else is ended',
  async () => {
    const stage = await setStage(script(say('Fine.')))
    const { leaders, harness } = watched()
    harness.prepare?.(stage.specOf({ variables: { WORD: 'other' } }))
    const [session, ...rest] = await finish(harness, stage.specOf({}))
    expect(rest.at(-1)).toMatchObject({ end: { ok: true } })
    expect(leaders).toHaveLength(2)
    const previous = session?.type === 'session' ? { previousSessionId: session.sessionId } : {}
    harness.prepare?.(stage.specOf({}))
    expect((await finish(harness, stage.specOf(previous))).at(-1)).toMatchObject({ end: { ok: true } })
    expect(leaders).toHaveLength(4)
    expect(await findMarked(stage.marker)).toEqual([])
  },
  patience,
)

test(
  'an agent made ready that died meanwhile is replaced',
  async () => {
    const stage = await setStage(script(say('Fine.')))
    const { leaders, harness } = watched()
    harness.prepare?.(stage.specOf({}))
    await vi.waitFor(() => expect(leaders).toHaveLength(1), soon)
    process.kill(leaders[0] ?? 0, 'SIGKILL')
    await vi.waitFor(async () => expect(await findMarked(stage.marker)).toEqual([]), soon)
    expect((await finish(harness, stage.specOf({}))).at(-1)).toMatchObject({ end: { ok: true } })
  },
  patience,
)

test(
  'what was made ready and not used ends with the harness',
  async () => {
    const stage = await setStage(script(say('never')))
    const { leaders, harness } = watched()
    harness.prepare?.(stage.specOf({}))
    harness.prepare?.(stage.specOf({ variables: { WORD: 'other' } }))
    await vi.waitFor(() => expect(leaders).toHaveLength(2), soon)
    await harness.close?.()
    await harness.close?.()
    expect(await findMarked(stage.marker)).toEqual([])
  },
  patience,
)

test(
  'making ready never throws, also without an SDK',
  async () => {
    const stage = await setStage(script(say('never')))
    const harness = createSdkHarness({ load: () => Promise.reject(new Error('no such thing')) })
    harness.prepare?.(stage.specOf({}))
    const events = await finish(harness, stage.specOf({}))
    expect(events).toMatchObject([
      { type: 'ended', end: { ok: false, reason: { message: 'no such thing' } } },
    ])
    await harness.close?.()
  },
  patience,
)
