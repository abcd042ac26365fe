import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { loadSdk } from '../../packages/runtime/src/harness/claude/sdk.ts'
import { createAsyncQueue, systemClock } from '../../packages/runtime/src/kit/index.ts'
import type { Answer, ModelRequest } from '../../packages/runtime/src/model-server/index.ts'
import { startRecordedServer } from '../../packages/runtime/test/model-server/recorded-server.ts'
import { launcher, type Surrounding } from './weave-command.ts'

/** What the person says when Claude Code shows a question: whether to answer it, and what is filled in. */
export type Filled = 'decline' | Readonly<Record<string, string | boolean>>

export interface ClaudeCodeOptions {
  /** Behind `weave mcp`. */
  readonly words?: readonly string[]
  /** Absent: nobody sits in front of it. */
  readonly says?: (message: string) => Filled
  /** What the model answers to runs of weave; they have a key of their own. */
  readonly toRuns: (request: ModelRequest) => Answer | Promise<Answer>
}

export interface CalledTool {
  /** What Claude Code hands to its model. */
  readonly text: string
  readonly isError: boolean
  readonly code: string | undefined
  readonly value: Readonly<Record<string, unknown>>
}

/** The real Claude Code with `weave mcp` as its server. Its model is the test: it calls what the test says. */
export interface ClaudeCode {
  /** The tools of weave that Claude Code offers to its model, in the order of their names. */
  readonly offered: readonly string[]
  call(name: string, input?: object): Promise<CalledTool>
  /** Tools that were called so far. */
  readonly called: ReadonlySet<string>
  /** What the person was asked. */
  readonly asked: readonly string[]
  /** What a run that the test starts needs of an environment, to ask the same model. */
  readonly runEnvironment: Readonly<Record<string, string>>
  /** How often a run of weave has asked the model server for anything. */
  readonly runRequests: () => number
  /** Lets the model say that it is done, and the program end. */
  end(): Promise<void>
}

const ownKey = 'the-key-of-claude-code-0123'
const runKey = 'the-key-of-runs-of-weave-0123'
const prefix = 'mcp__weave__'

export async function startClaudeCode(at: Surrounding, options: ClaudeCodeOptions): Promise<ClaudeCode> {
  const steps = createAsyncQueue<Answer>()
  const requests = createAsyncQueue<ModelRequest>()
  const server = await startRecordedServer({
    clock: systemClock,
    async respond(request) {
      if (request.key !== ownKey) return options.toRuns(request)
      const isWork = request.tools.some(name => name.startsWith(prefix))
      if (!isWork) return said('ok')
      requests.put(request)
      return (await steps.take()) ?? said('Done.')
    },
  })
  const [asked, called] = [[] as string[], new Set<string>()]
  const leaving = new AbortController()
  const program = runProgram(at, { ...options, url: server.url, asked, leaving })
  onTestFinished(async () => {
    leaving.abort()
    await program.catch(() => undefined)
    await server.close()
  })
  const first = await Promise.race([requests.take(), program])
  if (!first) throw new Error('Claude Code ended before it asked its model.')
  const offered = first.tools.filter(name => name.startsWith(prefix)).map(name => name.slice(prefix.length))
  return {
    offered: offered.sort(),
    called,
    asked,
    runEnvironment: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: runKey },
    runRequests: () => server.requests.filter(({ key }) => key === runKey).length,
    async call(name, input = {}) {
      called.add(name)
      steps.put({ kind: 'message', parts: [{ kind: 'call', name: prefix + name, input }] })
      const next = await Promise.race([requests.take(), program])
      const result = next?.turns.at(-1)?.results[0]
      if (!result) throw new Error(`Claude Code had no result of ${name}.`)
      return readResult(result)
    },
    async end() {
      steps.close()
      await program
    },
  }
}

const said = (text: string): Answer => ({ kind: 'message', parts: [{ kind: 'text', text }] })

function readResult({ text, isError }: { readonly text: string; readonly isError: boolean }): CalledTool {
  const [, code] = /^(?:Error: )?([A-Z][A-Z_]+): /.exec(text) ?? []
  return {
    text,
    isError,
    code,
    value: isError ? {} : (JSON.parse(text.split('\n')[0] ?? '') as Record<string, unknown>),
  }
}

interface Program extends ClaudeCodeOptions {
  readonly url: string
  readonly asked: string[]
  readonly leaving: AbortController
}

/** Settles when the program has ended, whatever it says. */
async function runProgram(at: Surrounding, program: Program): Promise<undefined> {
  const { url, words = [], says, asked, leaving } = program
  const { query } = await loadSdk()
  const cwd = mkdtempSync(join(at.cwd, 'claude-code-'))
  const env = { PATH: process.env['PATH'] ?? '', ...at.env, ANTHROPIC_BASE_URL: url }
  const conversation = query({
    prompt: 'Do what is to be done.',
    options: {
      cwd,
      abortController: leaving,
      env: {
        ...env,
        ANTHROPIC_API_KEY: ownKey,
        CLAUDE_CONFIG_DIR: join(cwd, 'config'),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
        IS_SANDBOX: '1',
      },
      model: 'claude-sonnet-4-5',
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      settingSources: [],
      strictMcpConfig: true,
      tools: [],
      sessionId: randomUUID(),
      mcpServers: {
        weave: {
          command: process.execPath,
          args: [launcher, 'mcp', '--hanks', at.cwd, ...words],
          env: { ...env, ANTHROPIC_API_KEY: runKey },
        },
      },
      ...(says && {
        onElicitation: ({ message }: { readonly message: string }) => {
          asked.push(message)
          const filled = says(message)
          return Promise.resolve(
            filled === 'decline'
              ? { action: 'decline' as const }
              : { action: 'accept' as const, content: { ...filled } },
          )
        },
      }),
    },
  })
  // What it says is what its model has said, and that is the test.
  for await (const _ of conversation);
}
