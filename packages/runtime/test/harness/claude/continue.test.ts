import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Answer } from '../../../src/model-server/index.ts'
import { patience, say, script, setStage } from './stage.ts'

async function sessionFile(home: string, sessionId: string): Promise<string> {
  const projects = join(home, 'claude', 'projects')
  const [project = ''] = await readdir(projects)
  return readFile(join(projects, project, `${sessionId}.jsonl`), 'utf8')
}

test(
  'two sessions go on from one, with its turns and a system prompt of their own, and leave it as it was',
  async () => {
    const usage = { input: 1_000, output: 100 }
    const stage = await setStage(({ index }) => say(`Answer ${index}.`, usage))
    const parent = await stage.act({ prompt: 'First prompt.', systemPrompt: 'You are a heron.' })
    const before = await sessionFile(stage.home, parent.sessionId)

    const previousSessionId = parent.sessionId
    const one = await stage.act({
      prompt: 'Second prompt.',
      systemPrompt: 'You are an owl.',
      previousSessionId,
    })
    const asked = JSON.stringify(stage.server.requests.at(-1)?.body)
    for (const said of ['First prompt.', 'Answer 0.', 'Second prompt.', 'You are an owl.'])
      expect(asked).toContain(said)
    expect(asked).not.toContain('You are a heron.')

    const two = await stage.act({ prompt: 'Third prompt.', previousSessionId })
    const askedAgain = JSON.stringify(stage.server.requests.at(-1)?.body)
    expect(askedAgain).toContain('Answer 0.')
    expect(askedAgain).not.toContain('Second prompt.')

    const three = await stage.act({ prompt: 'Fourth prompt.', previousSessionId: one.sessionId })
    expect(JSON.stringify(stage.server.requests.at(-1)?.body)).toContain('Second prompt.')

    const ids = [parent, one, two, three].map(({ sessionId }) => sessionId)
    expect(new Set(ids).size).toBe(4)
    expect(await sessionFile(stage.home, parent.sessionId)).toBe(before)
    // Each asked once: 1,000 in at 3 and 100 out at 15 dollars a million, whatever came before it.
    for (const { end } of [parent, one, two, three]) expect(end).toEqual({ ok: true, totalDollars: 0.0045 })
  },
  patience,
)

/** What two sessions cost, the second of which goes on from the first, which ends badly in its second turn. */
async function costAfter(second: Answer, stop?: AbortController) {
  const stage = await setStage(({ turns, index }) => {
    if (turns.at(-1)?.texts.at(-1) !== 'Go wrong.')
      return say(`Answer ${index}.`, { input: 1_000, output: 100 })
    stop?.abort()
    return second
  })
  const prompts = ['Go wrong.']
  const bad = await stage.act({ nextPrompt: () => prompts.shift(), ...(stop && { signal: stop.signal }) })
  const next = await stage.act({ previousSessionId: bad.sessionId })
  return [bad.end, next.end]
}

test(
  'a session goes on after one that failed, and after one that was stopped, at its own cost',
  async () => {
    const ends = await Promise.all([
      costAfter({ kind: 'error', status: 400 }),
      costAfter({ kind: 'hang', seconds: 60 }, new AbortController()),
    ])
    for (const [bad, next] of ends) {
      expect(bad).toMatchObject({ ok: false, totalDollars: 0.0045 })
      expect(next).toEqual({ ok: true, totalDollars: 0.0045 })
    }
  },
  patience,
)

test(
  'a session that is not there is said to be lost, and none is begun instead',
  async () => {
    const stage = await setStage(script(say('Fine.')))
    const lost = await stage.act({ previousSessionId: '00000000-0000-4000-8000-000000000000' })
    const foreign = await stage.act({ previousSessionId: 'ses_01k2m9q4c0000f3v8a1bq0e' })
    for (const { events, end } of [lost, foreign]) {
      expect(events).toHaveLength(1)
      expect(end).toMatchObject({ ok: false, reason: { type: 'unknown', retriable: false } })
    }
    expect(stage.server.requests).toEqual([])
  },
  patience,
)
