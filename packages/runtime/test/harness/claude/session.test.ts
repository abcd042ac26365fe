import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import type { HarnessEvent } from '../../../src/harness/index.ts'
import { bash, patience, say, script, setStage, use } from './stage.ts'

const ofType = <T extends HarnessEvent['type']>(events: readonly HarnessEvent[], type: T) =>
  events.filter((event): event is HarnessEvent & { readonly type: T } => event.type === type)

verifies(
  ['d1/sdk-harness'],
  'an agent thinks, speaks, writes a real file and runs a command',
  async () => {
    const stage = await setStage(
      script(
        {
          kind: 'message',
          parts: [
            { kind: 'thinking', text: 'A note, then.' },
            { kind: 'text', text: 'I write it.' },
            { kind: 'use', use: 'write', input: { path: 'notes.md', content: 'ünïcode\n' } },
          ],
          usage: { input: 100, output: 50, cacheRead: 2_000, cacheWrite: 1_000 },
        },
        bash('echo "$CODON_WORD $WEAVE_EXECUTION_ID"; exit 3'),
        say('Done.', { input: 200, output: 20 }),
      ),
    )
    const { events, end, sessionId, raw, survivors } = await stage.act({ variables: { CODON_WORD: 'heron' } })

    expect(await readFile(join(stage.cwd, 'notes.md'), 'utf8')).toBe('ünïcode\n')
    expect(events[0]).toEqual({ type: 'session', sessionId })
    expect(events.at(-1)).toEqual({ type: 'ended', end })
    expect(ofType(events, 'thinking')).toEqual([{ type: 'thinking', text: 'A note, then.' }])
    expect(ofType(events, 'text').map(({ text }) => text)).toEqual(['I write it.', 'Done.'])
    expect(ofType(events, 'tool-call')).toMatchObject([
      { name: 'Write', input: { file_path: join(stage.cwd, 'notes.md'), content: 'ünïcode\n' } },
      { name: 'Bash', input: { command: expect.stringContaining('echo') } },
    ])
    const marker = stage.marker.split('=')[1]
    expect(ofType(events, 'tool-result')).toMatchObject([
      { name: 'Write', isError: false },
      { name: 'Bash', isError: true, output: expect.stringContaining(`heron ${marker}`) },
    ])
    expect(ofType(events, 'session')).toHaveLength(1)
    expect(survivors).toEqual([])
    expect(raw).toContainEqual(expect.objectContaining({ type: 'system', subtype: 'init' }))
    expect(raw.at(-1)).toMatchObject({ type: 'result', subtype: 'success' })
  },
  patience,
)

test(
  'each answer is counted once, to the token, and the cost is that of the list',
  async () => {
    const stage = await setStage(
      script(
        use(
          { use: 'bash', input: { command: 'true' } },
          { input: 100, output: 50, cacheRead: 2_000, cacheWrite: 1_000 },
        ),
        say('Done.', { input: 200, output: 20 }),
      ),
    )
    const { events, end } = await stage.act()
    const last = new Map(ofType(events, 'usage').map(usage => [usage.messageId, usage]))
    expect([...last.values()]).toEqual([
      {
        type: 'usage',
        messageId: expect.any(String),
        modelId: 'claude-sonnet-4-5',
        tokens: { inputTokens: 100, outputTokens: 50, cacheReadTokens: 2_000, cacheCreationTokens: 1_000 },
      },
      {
        type: 'usage',
        messageId: expect.any(String),
        modelId: 'claude-sonnet-4-5',
        tokens: { inputTokens: 200, outputTokens: 20, cacheReadTokens: 0, cacheCreationTokens: 0 },
      },
    ])
    // 300 in at 3, 70 out at 15, 2,000 from the cache at 0.3, 1,000 into it at 3.75 dollars a million.
    expect(end).toEqual({ ok: true, totalDollars: 0.0063 })
  },
  patience,
)

verifies(
  ['d1/codon-credential-anthropic'],
  'the provider gets the key, the model and the prompts as they are, and nobody else hears of it',
  async () => {
    const stage = await setStage(script(say('Fine.')))
    await writeFile(join(stage.cwd, 'CLAUDE.md'), 'OWN MEMORY')
    await writeFile(join(stage.dir, 'CLAUDE.md'), 'STRAY MEMORY')
    await writeFile(join(stage.cwd, 'note.txt'), 'STRAY MENTION')
    const prompt = '/context @note.txt\n<%= untouched %>'
    await stage.act({ prompt, systemPrompt: 'You are a heron.' })
    expect(stage.server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/messages',
    ])
    const [request] = stage.server.requests
    expect(request).toMatchObject({ key: 'sk-test-0123456789', model: 'claude-sonnet-4-5' })
    const body = JSON.stringify(request?.body)
    expect(body).toContain(JSON.stringify(prompt).slice(1, -1))
    expect(body).toContain('You are a heron.')
    expect(body).toContain('OWN MEMORY')
    expect(body).not.toContain('STRAY')
    expect(await readdir(stage.dir), 'nothing in the home of the user').toEqual([
      'CLAUDE.md',
      'agentRoot',
      'agents',
    ])
    expect(await readdir(stage.cwd)).toEqual(['CLAUDE.md', 'note.txt'])
  },
  patience,
)

test(
  'further prompts go on in the same process and the same session, and the cost is that of all',
  async () => {
    const stage = await setStage(script(say('One.', { input: 1_000, output: 100 })))
    const pids: number[] = []
    const prompts = ['More.', 'Still more.']
    const { events, end } = await stage.act({
      options: {
        own: leader => {
          pids.push(leader)
          return () => undefined
        },
      },
      nextPrompt: () => prompts.shift(),
    })
    expect(pids).toHaveLength(1)
    expect(ofType(events, 'session')).toHaveLength(1)
    expect(ofType(events, 'text')).toHaveLength(3)
    expect(end).toEqual({ ok: true, totalDollars: 0.0135 })
    const turns = JSON.stringify(stage.server.requests.at(-1)?.body)
    for (const said of ['Do it.', 'One.', 'More.', 'Still more.']) expect(turns).toContain(said)
  },
  patience,
)

test(
  'a model whose price is not known costs nobody knows what',
  async () => {
    const stage = await setStage(script(say('Fine.')))
    const { end } = await stage.act({ model: 'claude-heron-9' })
    expect(end).toEqual({ ok: true })
  },
  patience,
)
