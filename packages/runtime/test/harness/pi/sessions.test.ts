import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import type { ModelRequest } from '../../../src/model-server/index.ts'
import { inTurn, say } from './bench.ts'
import { type Desk, openDesk } from './in-process.ts'

function sessionIds({ events }: Desk): readonly string[] {
  return events.flatMap(event => (event.type === 'session' ? [event.sessionId] : []))
}

async function sessionFiles({ home }: Desk): Promise<ReadonlyMap<string, string>> {
  const folder = join(home, 'pi', 'sessions')
  const names = await readdir(folder)
  return new Map(
    await Promise.all(names.map(async name => [name, await readFile(join(folder, name), 'utf8')] as const)),
  )
}

describe('going on from an earlier session', () => {
  test('starts with its turns and leaves it as it was, however often', async () => {
    const heard: ModelRequest[] = []
    const answers = inTurn(say('one'), say('two'), say('three'))
    const desk = await openDesk({
      respond: request => {
        heard.push(request)
        return answers()
      },
    })
    await desk.ask(['first'])
    const [parent = ''] = sessionIds(desk)
    const before = await sessionFiles(desk)
    await desk.ask(['second'], { previousSessionId: parent })
    await desk.ask(['third'], { previousSessionId: parent })

    const texts = heard.map(({ turns }) => turns.map(({ text }) => text))
    expect(texts).toEqual([['first'], ['first', 'one', 'second'], ['first', 'one', 'third']])
    expect(new Set(sessionIds(desk)).size).toBe(3)
    const after = await sessionFiles(desk)
    expect(after.size).toBe(3)
    for (const [name, content] of before) expect(after.get(name)).toBe(content)
  })

  test('charges only its own messages', async () => {
    const usage = { input: 10, output: 1 }
    const desk = await openDesk({
      respond: () => ({ kind: 'message', parts: [{ kind: 'text', text: 'ok' }], usage }),
    })
    await desk.ask(['first'])
    await desk.ask(['second'], { previousSessionId: sessionIds(desk)[0] ?? '' })
    expect(desk.events.filter(({ type }) => type === 'usage')).toHaveLength(2)
  })

  test('takes the system prompt of the codon that goes on, not of the one before', async () => {
    const systems: string[] = []
    const desk = await openDesk({
      respond: ({ system }) => {
        systems.push(/SAYS \w+/.exec(system)?.[0] ?? '')
        return say('ok')
      },
    })
    await desk.ask(['first'], { systemPrompt: 'SAYS one' })
    const [parent = ''] = sessionIds(desk)
    await desk.ask(['second'], { previousSessionId: parent, systemPrompt: 'SAYS two' })
    await desk.ask(['third'], { previousSessionId: parent })
    expect(systems).toEqual(['SAYS one', 'SAYS two', ''])
  })

  test('fails when the session is not there, and asks nobody', async () => {
    const desk = await openDesk({ respond: () => say('ok') })
    const failure = await desk.fail({ previousSessionId: 'gone' })
    expect(failure.trouble).toEqual({
      kind: 'lost-session',
      message: 'The session gone to go on from is not there any more.',
    })
    expect(desk.events).toEqual([])
    expect(desk.server.requests).toEqual([])
  })

  test('works from a session that ended in an error', async () => {
    const desk = await openDesk({ respond: inTurn({ kind: 'error', status: 500 }, say('ok')) })
    await desk.fail()
    expect(await desk.ask(['again'], { previousSessionId: sessionIds(desk)[0] ?? '' })).toEqual({
      type: 'turn',
    })
  })
})

verifies(
  ['agents/pi-workspace-words', 'agents/not-above'],
  'of the workspace its instructions have a say in what the model is told, and no settings',
  async () => {
    let system = ''
    const desk = await openDesk({
      respond: request => {
        system = `${request.system}${JSON.stringify(request.turns)}`
        return say('ok')
      },
    })
    const { mkdir, writeFile } = await import('node:fs/promises')
    await mkdir(join(desk.cwd, '.pi'))
    await writeFile(join(desk.cwd, 'AGENTS.md'), 'OWN INSTRUCTIONS')
    const planted = [
      'CLAUDE.md',
      '../AGENTS.md',
      '.pi/SYSTEM.md',
      '.pi/APPEND_SYSTEM.md',
      '.pi/settings.json',
    ]
    for (const name of planted) await writeFile(join(desk.cwd, name), '{"planted":"PLANTED"}')
    await desk.ask(['/help @AGENTS.md'])
    expect(system).toContain('/help @AGENTS.md')
    expect(system).toContain('OWN INSTRUCTIONS')
    expect(system).not.toContain('PLANTED')
  },
)

describe('a session that grows too long', () => {
  const long = 'word '.repeat(20_000)
  const small = { input: 1_000, output: 5 }

  verifies(
    ['2.3/auto-compact-true'],
    'is made shorter after a turn when that is allowed, and charged',
    async () => {
      const sizes: number[] = []
      const desk = await openDesk({
        respond: ({ tools, turns }) => {
          if (tools.length === 0) {
            return {
              kind: 'message',
              parts: [{ kind: 'text', text: 'SUMMARY' }],
              usage: { input: 5_000, output: 50 },
            }
          }
          sizes.push(turns.length)
          const usage = sizes.length === 3 ? { input: 195_000, output: 5 } : small
          return { kind: 'message', parts: [{ kind: 'text', text: 'fine' }], usage }
        },
      })
      expect(await desk.ask([long, long, 'three', 'four'], { autoCompact: true })).toEqual({ type: 'turn' })
      expect(sizes).toEqual([1, 3, 5, 6])
      expect(desk.events.filter(({ type }) => type === 'compacted')).toHaveLength(1)
      expect(
        desk.events.flatMap(event => (event.type === 'usage' ? [event.tokens.inputTokens] : [])),
      ).toEqual([1_000, 1_000, 195_000, 5_000, 1_000])
    },
  )

  test('is made shorter when it overflows, and the turn is taken again before it counts as over', async () => {
    let asked = 0
    const desk = await openDesk({
      respond: ({ tools }) => {
        if (tools.length === 0) return say('SUMMARY')
        asked++
        return asked === 3 ? { kind: 'overflow' } : say(`answer ${asked}`)
      },
    })
    expect(await desk.ask([long, long, 'three'], { autoCompact: true })).toEqual({ type: 'turn' })
    expect(desk.events.slice(-3).map(({ type }) => type)).toEqual(['compacted', 'text', 'usage'])
    expect(desk.events).toContainEqual({ type: 'text', text: 'answer 4' })
  })

  test('overflows in the end when it cannot be made shorter', async () => {
    const desk = await openDesk({
      respond: ({ tools, index }) => {
        if (tools.length === 0) return { kind: 'error', status: 500 }
        return index < 2 ? say('ok') : { kind: 'overflow' }
      },
    })
    expect(await desk.ask([long, long, 'three'], { autoCompact: true })).toMatchObject({ contextFull: true })
    expect(desk.server.requests).toHaveLength(4)
  })

  verifies(['2.3/auto-compact-false'], 'overflows at once when that is not allowed', async () => {
    const desk = await openDesk({
      respond: ({ index }) => (index < 2 ? say('ok') : { kind: 'overflow' }),
    })
    expect(await desk.ask([long, long, 'three'])).toMatchObject({ contextFull: true })
    expect(desk.server.requests).toHaveLength(3)
    expect(desk.events.some(({ type }) => type === 'compacted')).toBe(false)
  })
})

describe('stopping', () => {
  test('before the first request leaves it unanswered', async () => {
    const desk = await openDesk({ respond: () => ({ kind: 'hang', seconds: 60 }) })
    desk.stop()
    expect(await desk.ask()).toEqual({ type: 'stopped' })
  })

  test('ends a request that hangs', async () => {
    const desk = await openDesk({ respond: () => ({ kind: 'hang', seconds: 60 }) })
    void desk.server.until(({ kind }) => kind === 'model').then(() => desk.stop())
    expect(await desk.ask()).toEqual({ type: 'stopped' })
    expect((await desk.server.until(({ endedAt }) => endedAt !== undefined)).aborted).toBe(true)
  })

  test('ends a command and still tells of it', async () => {
    const command = 'echo begun; sleep 60'
    const desk = await openDesk({
      respond: () => ({ kind: 'message', parts: [{ kind: 'use', use: 'bash', input: { command } }] }),
    })
    void desk.told('usage').then(() => desk.stop())
    expect(await desk.ask()).toEqual({ type: 'stopped' })
    expect(desk.events.at(-1)).toMatchObject({ type: 'tool-result', name: 'Bash', isError: true })
  })

  test('ends a summary that hangs', async () => {
    const long = 'word '.repeat(20_000)
    const desk = await openDesk({
      respond: ({ tools, index }) => {
        if (tools.length > 0) return index < 2 ? say('ok') : { kind: 'overflow' }
        setImmediate(() => desk.stop())
        return { kind: 'hang', seconds: 60 }
      },
    })
    expect(await desk.ask([long, long, 'three'], { autoCompact: true })).toEqual({ type: 'stopped' })
  })
})
