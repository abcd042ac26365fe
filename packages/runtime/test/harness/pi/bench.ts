import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempDir } from '../../../../../test/support/temp-dir.ts'
import type { Harness, HarnessEnd, HarnessEvent, HarnessSpec } from '../../../src/harness/index.ts'
import { createEmbeddedHarness } from '../../../src/harness/pi/pi-harness.ts'
import type { WorkerCommand } from '../../../src/harness/pi/worker-process.ts'
import { createId, type Marker, systemClock } from '../../../src/kit/index.ts'
import type { Answer, ModelRequest } from '../../../src/model-server/index.ts'
import { type RecordedModelServer, startRecordedServer } from '../../model-server/recorded-server.ts'
import { program } from './worker-bundle.ts'

/** The ways in which a model is asked, with a model that the SDK knows and the variables that lead to a server. */
export const dialects = {
  anthropic: {
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    env: (url: string) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'key-of-anthropic' }),
  },
  responses: {
    provider: 'openai',
    model: 'gpt-5.1',
    env: (url: string) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'key-of-openai' }),
  },
  chat: {
    provider: 'openrouter',
    model: 'openai/gpt-5',
    env: (url: string) => ({ OPENROUTER_BASE_URL: `${url}/api/v1`, OPENROUTER_API_KEY: 'key-of-openrouter' }),
  },
  google: {
    provider: 'google',
    model: 'gemini-2.5-pro',
    env: (url: string) => ({ GOOGLE_BASE_URL: url, GEMINI_API_KEY: 'key-of-gemini' }),
  },
} as const

export type Dialect = keyof typeof dialects
export const everyDialect: readonly Dialect[] = ['anthropic', 'responses', 'chat', 'google']

export interface Bench {
  readonly server: RecordedModelServer
  readonly harness: Harness
  readonly cwd: string
  readonly home: string
  readonly marker: Marker
  /** A task that only needs what a test is about. */
  spec(given?: Partial<HarnessSpec>): HarnessSpec
  /** Runs a task to its end. */
  run(given?: Partial<HarnessSpec>, signal?: AbortSignal): Promise<Played>
}

/** A task that came to its end. */
export interface Played {
  readonly events: readonly HarnessEvent[]
  readonly raw: readonly unknown[]
  readonly end: HarnessEnd
  readonly sessionId: string
  of<Type extends HarnessEvent['type']>(type: Type): readonly Extract<HarnessEvent, { readonly type: Type }>[]
}

export interface BenchOptions {
  readonly dialect?: Dialect
  readonly respond: (request: ModelRequest) => Answer | Promise<Answer>
  readonly worker?: WorkerCommand
  readonly env?: Readonly<Record<string, string>>
}

/** A harness, a workspace, and a model on loopback that answers as a test says. */
export async function openBench(options: BenchOptions): Promise<Bench> {
  const { respond, worker = await program('agent-worker'), env = {} } = options
  const { provider, model, env: envOf } = dialects[options.dialect ?? 'anthropic']
  const dir = await tempDir()
  const cwd = join(dir, 'workspace')
  const home = join(dir, 'home')
  await mkdir(cwd)
  const server = await startRecordedServer({ respond, clock: systemClock })
  const harness = createEmbeddedHarness({ worker })
  const marker: Marker = `WEAVE_EXECUTION_ID=${createId('exe')}`
  onTestFinished(async () => {
    await harness.close?.()
    await server.close()
  })

  const spec = (given: Partial<HarnessSpec> = {}): HarnessSpec => ({
    codonId: 'draft',
    provider,
    model,
    cwd,
    home,
    marker,
    env: {
      PATH: process.env['PATH'] ?? '',
      ...envOf(server.url),
      WEAVE_EXECUTION_ID: marker.slice('WEAVE_EXECUTION_ID='.length),
      WEAVE_CODON_ID: 'draft',
      ...env,
    },
    autoCompact: false,
    prompt: 'Do it.',
    onRaw: () => undefined,
    nextPrompt: () => undefined,
    ...given,
  })
  return {
    server,
    harness,
    cwd,
    home,
    marker,
    spec,
    run: (given, signal) => play(harness, spec(given), signal),
  }
}

export async function play(
  harness: Harness,
  spec: HarnessSpec,
  signal: AbortSignal = new AbortController().signal,
): Promise<Played> {
  const events: HarnessEvent[] = []
  const raw: unknown[] = []
  for await (const event of harness.start({ ...spec, onRaw: message => void raw.push(message) }, signal)) {
    events.push(event)
  }
  return played(events, raw)
}

function played(events: readonly HarnessEvent[], raw: readonly unknown[]): Played {
  const of = ofType(events)
  const [end] = of('ended')
  if (!end) throw new Error('the task did not end')
  return { events, raw, end: end.end, sessionId: of('session')[0]?.sessionId ?? '', of }
}

export function ofType(events: readonly HarnessEvent[]): Played['of'] {
  return type => events.filter((event): event is never => event.type === type)
}

export const say = (text: string): Answer => ({ kind: 'message', parts: [{ kind: 'text', text }] })

/** Answers with one step after the other; the last one stands for all that follow. */
export function inTurn(...steps: readonly Answer[]): () => Answer {
  let at = 0
  return () => steps[Math.min(at++, steps.length - 1)] ?? say('nothing left')
}
