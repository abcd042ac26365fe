import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import type { HarnessEvent } from '../../../src/harness/index.ts'
import type { Answer } from '../../../src/model-server/index.ts'
import type { RecordedModelServer } from '../../model-server/recorded-server.ts'
import { type Dialect, dialects, inTurn, ofType, openBench } from './bench.ts'
import { openDesk } from './in-process.ts'

describe('an agent works', () => {
  verifies(
    ['d1/endpoint-override-harness', 'd1/codon-credential-anthropic'],
    'for Anthropic in its dialect',
    () => writesAndReads('anthropic', '/v1/messages'),
  )

  verifies(
    ['d1/endpoint-override-harness', 'd1/codon-credential-openai'],
    'for OpenAI in the dialect of responses',
    () => writesAndReads('responses', '/v1/responses'),
  )

  verifies(
    ['d1/endpoint-override-harness', 'd1/codon-credential-openrouter'],
    'for OpenRouter in the dialect of chat completions',
    () => writesAndReads('chat', '/api/v1/chat/completions'),
  )

  verifies(['d1/endpoint-override-harness', 'd1/codon-credential-google'], 'for Google in its dialect', () =>
    writesAndReads('google', '/v1beta/models/gemini-2.5-pro:streamGenerateContent'),
  )
})

/** In this process; for the whole proof in a worker, which takes seconds to start. */
async function runIn(dialect: Dialect, respond: () => Answer): Promise<Ran> {
  if (process.env['WEAVE_PROOF'] !== '1') {
    const desk = await openDesk({ dialect, respond })
    expect(await desk.ask()).toEqual({ type: 'turn' })
    const raw = desk.sent.flatMap(message => (message.type === 'raw' ? [message.message] : []))
    return { ...desk, events: desk.events, raw }
  }
  const bench = await openBench({ dialect, respond })
  const { end, events, raw } = await bench.run()
  expect(end).toEqual({ ok: true })
  return { ...bench, events, raw }
}

interface Ran {
  readonly cwd: string
  readonly server: RecordedModelServer
  readonly events: readonly HarnessEvent[]
  readonly raw: readonly unknown[]
}

/** A file is written, changed and read, a command sees the environment, and each message is charged once. */
async function writesAndReads(dialect: Dialect, path: string): Promise<void> {
  const ran = await runIn(
    dialect,
    inTurn(
      {
        kind: 'message',
        parts: [
          { kind: 'thinking', text: 'I need notes.' },
          { kind: 'text', text: 'I begin.' },
          { kind: 'use', use: 'write', input: { path: 'out/notes.md', content: 'first line\n' } },
        ],
        usage: { input: 100, output: 20, cacheRead: 30 },
      },
      {
        kind: 'message',
        parts: [{ kind: 'use', use: 'edit', input: { path: 'out/notes.md', old: 'first', new: 'only' } }],
        usage: { input: 200, output: 40, cacheRead: 60 },
      },
      { kind: 'message', parts: [{ kind: 'use', use: 'bash', input: { command: 'cat out/notes.md' } }] },
      { kind: 'message', parts: [{ kind: 'text', text: 'Done.' }], usage: { input: 7, output: 3 } },
    ),
  )
  const { server, events, raw } = ran
  const of = ofType(events)

  expect(await readFile(join(ran.cwd, 'out/notes.md'), 'utf8')).toBe('only line\n')
  expect(server.requests.map(request => [request.path, request.key])).toEqual(
    Array.from({ length: 4 }, () => [
      path,
      `key-of-${dialect === 'google' ? 'gemini' : dialects[dialect].provider}`,
    ]),
  )
  expect(events[0]?.type).toBe('session')
  expect(of('thinking')).toMatchObject([{ text: 'I need notes.' }])
  expect(of('text')).toMatchObject([{ text: 'I begin.' }, { text: 'Done.' }])
  expect(of('tool-call').map(({ name, input }) => ({ name, input }))).toEqual([
    { name: 'Write', input: { file_path: 'out/notes.md', content: 'first line\n' } },
    { name: 'Edit', input: { file_path: 'out/notes.md', old_string: 'first', new_string: 'only' } },
    { name: 'Bash', input: { command: 'cat out/notes.md' } },
  ])
  expect(of('tool-result').map(({ id }) => id)).toEqual(of('tool-call').map(({ id }) => id))
  expect(of('tool-result')[2]).toMatchObject({ name: 'Bash', output: 'only line\n', isError: false })
  expect(of('usage').map(({ messageId }) => messageId)).toEqual(['1', '2', '3', '4'])
  expect([0, 1, 3].map(at => of('usage')[at]?.tokens)).toEqual([
    { inputTokens: 100, outputTokens: 20, cacheReadTokens: 30, cacheCreationTokens: 0 },
    { inputTokens: 200, outputTokens: 40, cacheReadTokens: 60, cacheCreationTokens: 0 },
    { inputTokens: 7, outputTokens: 3, cacheReadTokens: 0, cacheCreationTokens: 0 },
  ])
  expect(of('usage').every(({ modelId }) => modelId === dialects[dialect].model)).toBe(true)
  expect(raw.filter(message => isType(message, 'message_end'))).toHaveLength(8)
}

function isType(message: unknown, type: string): boolean {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === type
}
