import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempDir } from '../../../../../test/support/temp-dir.ts'
import { createSdkHarness, type SdkHarnessOptions } from '../../../src/harness/claude/claude-harness.ts'
import type { HarnessEnd, HarnessEvent, HarnessSpec } from '../../../src/harness/index.ts'
import { createId, findMarked, type Marker, systemClock } from '../../../src/kit/index.ts'
import type { Answer, GivenUsage, ModelRequest, ToolUse } from '../../../src/model-server/index.ts'
import { startRecordedServer } from '../../model-server/recorded-server.ts'

/** For tests that start real agents: on a busy machine each takes many times its usual second. */
export const patience = 90_000

/** What an agent did, from its first to its last event. */
export interface Performance {
  readonly events: readonly HarnessEvent[]
  readonly end: HarnessEnd
  /** Empty when there was none. */
  readonly sessionId: string
  readonly raw: readonly unknown[]
  readonly milliseconds: number
  /** Processes of the agent that were still there when it had ended. */
  readonly survivors: readonly number[]
}

export interface Act extends Partial<HarnessSpec> {
  readonly options?: SdkHarnessOptions
  readonly signal?: AbortSignal
  /** Added to the environment. */
  readonly variables?: Readonly<Record<string, string>>
  readonly onEvent?: (event: HarnessEvent) => void
}

/** A place for the real SDK to work in, with a scripted model. */
export async function setStage(respond: (request: ModelRequest) => Answer | Promise<Answer>) {
  const dir = await tempDir()
  const cwd = join(dir, 'agentRoot')
  const home = join(dir, 'agents')
  await mkdir(cwd)
  const server = await startRecordedServer({ respond, clock: systemClock })
  onTestFinished(() => server.close())
  const marker: Marker = `WEAVE_EXECUTION_ID=${createId('exe')}`

  function specOf({ variables = {}, ...act }: Act): HarnessSpec {
    return {
      codonId: 'draft',
      model: 'claude-sonnet-4-5',
      provider: 'anthropic',
      cwd,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: join(dir, 'user'),
        ANTHROPIC_API_KEY: 'sk-test-0123456789',
        ANTHROPIC_BASE_URL: server.url,
        WEAVE_EXECUTION_ID: marker.slice(marker.indexOf('=') + 1),
        ...variables,
      },
      marker,
      home,
      autoCompact: false,
      prompt: 'Do it.',
      onRaw: () => undefined,
      nextPrompt: () => undefined,
      ...act,
    }
  }

  async function act(act: Act = {}): Promise<Performance> {
    const { options, signal = new AbortController().signal, onEvent, ...rest } = act
    const began = systemClock.monotonic()
    const events: HarnessEvent[] = []
    const raw: unknown[] = []
    const harness = createSdkHarness(options)
    const spec = { ...specOf(rest), onRaw: (message: unknown) => void raw.push(message) }
    for await (const event of harness.start(spec, signal)) {
      events.push(event)
      onEvent?.(event)
    }
    const milliseconds = systemClock.monotonic() - began
    return { ...summaryOf(events), events, raw, milliseconds, survivors: await findMarked(marker) }
  }

  return { dir, cwd, home, marker, server, specOf, act }
}

function summaryOf(events: readonly HarnessEvent[]) {
  const last = events.at(-1)
  if (last?.type !== 'ended') throw new Error('the last event is not the end')
  const session = events.find(event => event.type === 'session')
  return { end: last.end, sessionId: session?.type === 'session' ? session.sessionId : '' }
}

export function say(text: string, usage?: GivenUsage): Answer {
  return { kind: 'message', parts: [{ kind: 'text', text }], ...(usage && { usage }) }
}

export function use(tool: ToolUse, usage?: GivenUsage): Answer {
  return { kind: 'message', parts: [{ kind: 'use', ...tool }], ...(usage && { usage }) }
}

export function bash(command: string): Answer {
  return use({ use: 'bash', input: { command } })
}

/** One answer for each request; the last one again and again. */
export function script(...answers: readonly Answer[]): (request: ModelRequest) => Answer {
  return ({ index }) => answers[index] ?? answers.at(-1) ?? say('')
}
