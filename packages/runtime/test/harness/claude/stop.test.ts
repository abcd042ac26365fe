import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { createSdkHarness } from '../../../src/harness/claude/claude-harness.ts'
import { findMarked } from '../../../src/kit/index.ts'
import { bash, patience, say, script, setStage } from './stage.ts'

const stopped = {
  ok: false,
  exit: { type: 'killed', signal: 'SIGTERM' },
  reason: { type: 'unknown', retriable: false, message: 'The agent was stopped.' },
}

/** Starts processes that want to stay: in the group and out of it, with and without a parent, deaf to requests. */
const trees = `
sleep 300 &
setsid sleep 301 &
nohup sleep 302 >/dev/null 2>&1 &
(setsid sh -c 'sleep 303 & exec sleep 304' &)
setsid sh -c "trap '' TERM HUP INT; while :; do sleep 1; done" >/dev/null 2>&1 &
touch grown
`

const proof = process.env['WEAVE_PROOF'] === '1'

test(
  'a hanging agent ends at once, with its request and the cost of what it finished',
  async () => {
    const stage = await setStage(script(bash('true'), { kind: 'hang', seconds: 60 }))
    const stop = new AbortController()
    let stoppedAt = 0
    void stage.server
      .until(({ body }) => JSON.stringify(body).includes('tool_result'))
      .then(() => {
        stoppedAt = performance.now()
        stop.abort()
      })
    const nextPrompt = vi.fn(() => 'never')
    const { end, survivors } = await stage.act({ signal: stop.signal, nextPrompt })
    expect(end).toEqual({ ...stopped, totalDollars: expect.any(Number) })
    expect(performance.now() - stoppedAt).toBeLessThan(5_000)
    expect(survivors).toEqual([])
    expect(nextPrompt).not.toHaveBeenCalled()
    await stage.server.until(({ aborted }) => aborted)
  },
  patience,
)

verifies(
  ['d8/end-sweep'],
  'whatever an agent started is gone when it was stopped in a tool',
  async () => {
    const stage = await setStage(script(bash('sh trees.sh')))
    await writeFile(join(stage.cwd, 'trees.sh'), `${trees}sleep 305`)
    const stop = new AbortController()
    const act = stage.act({ signal: stop.signal, options: { graceMs: 1_000 } })
    await vi.waitFor(() => expect(existsSync(join(stage.cwd, 'grown'))).toBe(true), { timeout: patience })
    expect((await findMarked(stage.marker)).length).toBeGreaterThan(6)
    stop.abort()
    const { end, survivors } = await act
    expect(end).toMatchObject(stopped)
    expect(survivors).toEqual([])
  },
  patience,
)

test(
  'whatever an agent left behind is gone when it has ended by itself',
  async () => {
    const stage = await setStage(script(bash('sh trees.sh'), say('Done.')))
    await writeFile(join(stage.cwd, 'trees.sh'), trees)
    const { end, survivors } = await stage.act()
    expect(existsSync(join(stage.cwd, 'grown'))).toBe(true)
    expect(end).toMatchObject({ ok: true })
    expect(survivors).toEqual([])
  },
  patience,
)

test(
  'an agent that is stopped in its tracks is gone within the grace and two seconds',
  async () => {
    const graceMs = proof ? 5_000 : 1_000
    const stage = await setStage(script({ kind: 'hang', seconds: 60 }))
    const stop = new AbortController()
    let leader = 0
    let stoppedAt = 0
    const own = (pid: number) => {
      leader = pid
      return () => undefined
    }
    void stage.server
      .until(({ kind }) => kind === 'model')
      .then(() => {
        process.kill(leader, 'SIGSTOP')
        stoppedAt = performance.now()
        stop.abort()
      })
    const { end, survivors } = await stage.act({ signal: stop.signal, options: { graceMs, own } })
    expect(performance.now() - stoppedAt).toBeLessThan(graceMs + 2_000)
    expect(end).toEqual(stopped)
    expect(survivors).toEqual([])
  },
  patience,
)

test(
  'work that is done stays done when the stop comes too late',
  async () => {
    const stage = await setStage(script(say('Done.')))
    const stop = new AbortController()
    const nextPrompt = () => {
      queueMicrotask(() => stop.abort())
      return undefined
    }
    const { end, survivors } = await stage.act({ signal: stop.signal, nextPrompt })
    expect(end).toMatchObject({ ok: true })
    expect(survivors).toEqual([])
  },
  patience,
)

test(
  'an agent that is not wanted any more does not begin',
  async () => {
    const stage = await setStage(script(say('never')))
    const before = await stage.act({ signal: AbortSignal.abort() })
    expect(before.events).toEqual([{ type: 'ended', end: stopped }])
    const stop = new AbortController()
    const own = () => {
      stop.abort()
      return () => undefined
    }
    const during = await stage.act({ signal: stop.signal, options: { own, graceMs: 1_000 } })
    expect(during.end).toEqual(stopped)
    expect(during.survivors).toEqual([])
    expect(stage.server.requests).toEqual([])
  },
  patience,
)

test(
  'an agent whose listener goes away ends',
  async () => {
    const stage = await setStage(script({ kind: 'hang', seconds: 60 }))
    const harness = createSdkHarness({ graceMs: 1_000 })
    for await (const event of harness.start(stage.specOf({}), new AbortController().signal)) {
      if (event.type === 'session') break
    }
    expect(await findMarked(stage.marker)).toEqual([])
  },
  patience,
)
