import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { RehearsalScript } from '../../src/model-server/index.ts'
import { rehearsed } from './served.ts'

const usage = { input: 10, output: 7, cacheRead: 300, cacheWrite: 20 }

/** Every tool once, in an order in which each needs what the one before did. */
const script: RehearsalScript = {
  codons: {
    work: [
      { use: 'write', input: { path: 'sub/note.md', content: 'one 🙂 two' }, usage },
      { use: 'read', input: { path: 'sub/note.md' }, usage },
      { use: 'edit', input: { path: 'sub/note.md', old: 'one', new: 'three' }, usage },
      { use: 'bash', input: { command: 'cat sub/note.md > copy.md' }, usage },
      { think: 'Is it done?', say: 'Done.', usage },
      { overflow: true },
    ],
  },
}

const note = 'three 🙂 two'

verifies(
  ['d13/step-use-tools', 'd13/step-use-translated'],
  'the agent of the vendor works with its own tools as the script says',
  async () => {
    const dir = await tempDir()
    const { server, rehearsal } = await rehearsed(script)
    const [bare, work] = await Promise.all([
      claude({ dir, name: 'bare', url: server.url, key: rehearsal.keyFor('bare') }),
      claude({ dir, name: 'work', url: server.url, key: rehearsal.keyFor('work') }),
    ])
    expect(await readFile(join(dir, 'bare/rehearsal/bare.md'), 'utf8')).toBe(
      '# bare\n\nWrite a note.\nKeep it short.\n',
    )
    expect(bare.at(-1)).toMatchObject({
      result: 'I wrote the first lines of my prompt to rehearsal/bare.md.',
    })
    expect(await readFile(join(dir, 'work/copy.md'), 'utf8')).toBe(note)
    expect(work.find(({ subtype }) => subtype === 'success')).toMatchObject({
      result: 'Done.',
      usage: {
        input_tokens: 50,
        output_tokens: 35,
        cache_read_input_tokens: 1500,
        cache_creation_input_tokens: 100,
      },
    })
    expect(JSON.stringify(work)).toContain('Is it done?')
    const keys = server.requests.filter(({ kind }) => kind === 'model').map(({ key }) => key)
    expect(keys.filter(key => key === 'rehearsal-work')).toHaveLength(5)
  },
  60_000,
)

interface ClaudeRun {
  readonly dir: string
  readonly name: string
  readonly url: string
  readonly key: string
}

async function claude({ dir, name, url, key }: ClaudeRun) {
  const { query } = await import('@anthropic-ai/claude-agent-sdk')
  const cwd = join(dir, name)
  await mkdir(cwd)
  const env = {
    PATH: process.env['PATH'],
    HOME: dir,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: url,
    CLAUDE_CONFIG_DIR: join(dir, `${name}-claude`),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    IS_SANDBOX: '1',
  }
  const messages: (Record<string, unknown> & { readonly type: string; readonly subtype?: unknown })[] = []
  const conversation = query({
    prompt: 'Write a note.\nKeep it short.',
    options: {
      cwd,
      env,
      model: 'claude-sonnet-4-5',
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      settingSources: [],
      strictMcpConfig: true,
      tools: ['Bash', 'Read', 'Write', 'Edit'],
      systemPrompt: { type: 'preset', preset: 'claude_code' },
      sessionId: randomUUID(),
    },
  })
  for await (const message of conversation) messages.push({ ...message })
  return messages
}

verifies(
  ['d13/step-use-tools', 'd13/step-use-translated', 'd13/key-codon', 'd13/step-overflow'],
  'the embedded agent works with its own tools in every dialect, and knows when its context is full',
  async () => {
    const dir = await tempDir()
    const served = await Promise.all(dialects.map(() => rehearsed(script)))
    const runs = dialects.map(({ path, ...dialect }, number) => {
      const { server, rehearsal } = served[number] ?? raise('no server')
      return { ...dialect, baseUrl: server.url + path, key: rehearsal.keyFor('work') }
    })
    const fixture = fileURLToPath(new URL('fixtures/pi-agent.mjs', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [fixture, JSON.stringify({ dir, runs })], {
      env: { PATH: process.env['PATH'], HOME: dir, PI_OFFLINE: '1' },
    })
    const said = JSON.parse(stdout) as Record<string, readonly PiMessage[]>
    for (const { name, countsCacheWrites } of dialects) {
      expect(await readFile(join(dir, name, 'copy.md'), 'utf8')).toBe(note)
      const messages = said[name] ?? []
      expect(messages.map(({ stopReason }) => stopReason)).toEqual([
        'toolUse',
        'toolUse',
        'toolUse',
        'toolUse',
        'stop',
        'error',
      ])
      expect(messages[4]?.content).toMatchObject([
        { type: 'thinking', thinking: 'Is it done?' },
        { type: 'text', text: 'Done.' },
      ])
      expect(messages.slice(0, 5).map(message => message.usage)).toMatchObject(
        Array.from({ length: 5 }, () =>
          countsCacheWrites ? usage : { ...usage, input: usage.input + usage.cacheWrite, cacheWrite: 0 },
        ),
      )
      expect(messages.map(({ isOverflow }) => isOverflow)).toEqual([false, false, false, false, false, true])
    }
    for (const { rehearsal } of served) expect(rehearsal.leftovers()).toEqual([])
  },
  60_000,
)

interface PiMessage {
  readonly content: unknown
  readonly usage: unknown
  readonly stopReason: string
  readonly isOverflow: boolean
}

const custom = {
  api: 'openai-completions',
  models: [
    {
      id: 'm',
      name: 'm',
      reasoning: false,
      input: ['text'],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: 100_000,
      maxTokens: 1000,
    },
  ],
}

/** `countsCacheWrites`: whether this agent reads such a figure in this dialect. */
const dialects = [
  { name: 'anthropic', provider: 'anthropic', id: 'claude-sonnet-4-5', path: '', countsCacheWrites: true },
  { name: 'responses', provider: 'openai', id: 'gpt-5', path: '/v1', countsCacheWrites: false },
  { name: 'chat', provider: 'own', id: 'm', path: '/v1', countsCacheWrites: true, custom },
  {
    name: 'openrouter',
    provider: 'openrouter',
    id: 'z-ai/glm-4.6',
    path: '/api/v1',
    countsCacheWrites: true,
  },
  { name: 'google', provider: 'google', id: 'gemini-2.5-pro', path: '/v1beta', countsCacheWrites: false },
]

function raise(message: string): never {
  throw new Error(message)
}
