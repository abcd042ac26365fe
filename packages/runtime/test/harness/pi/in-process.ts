import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempDir } from '../../../../../test/support/temp-dir.ts'
import type { HarnessSpec } from '../../../src/harness/index.ts'
import { type ModelFacts, taskFor } from '../../../src/harness/pi/pi-harness.ts'
import { loadSdk } from '../../../src/harness/pi/worker/open-session.ts'
import { createEventReporter } from '../../../src/harness/pi/worker/reporter.ts'
import { openAgent } from '../../../src/harness/pi/worker/run-agent-worker.ts'
import { type Agent, type TurnEnd, takeTurn } from '../../../src/harness/pi/worker/take-turn.ts'
import type { FromWorker, WorkerEvent, WorkerFailure } from '../../../src/harness/pi/worker-protocol.ts'
import { systemClock } from '../../../src/kit/index.ts'
import type { Answer, ModelRequest } from '../../../src/model-server/index.ts'
import { type RecordedModelServer, startRecordedServer } from '../../model-server/recorded-server.ts'
import { type Dialect, dialects } from './bench.ts'

export interface Desk {
  readonly server: RecordedModelServer
  readonly cwd: string
  readonly home: string
  readonly sent: readonly FromWorker[]
  readonly events: readonly WorkerEvent[]
  /** Opens an agent and takes one turn for each prompt, until one does not go well. */
  ask(prompts?: readonly string[], given?: Partial<HarnessSpec>): Promise<TurnEnd>
  /** The same, for a turn that must fail. */
  fail(given?: Partial<HarnessSpec>): Promise<WorkerFailure>
  /** Resolves when such an event has been told. */
  told(type: WorkerEvent['type']): Promise<void>
  /** Stops whatever runs. */
  stop(): void
}

export interface DeskOptions {
  readonly dialect?: Dialect
  readonly respond: (request: ModelRequest) => Answer | Promise<Answer>
  readonly factsOf?: ModelFacts
}

/** What a worker does with its task, in this process: the real SDK against a model on loopback, without a new start. */
export async function openDesk({
  dialect = 'anthropic',
  respond,
  factsOf = () => undefined,
}: DeskOptions): Promise<Desk> {
  const { provider, model, env } = dialects[dialect]
  const dir = await tempDir()
  const cwd = join(dir, 'workspace')
  const home = join(dir, 'home')
  await mkdir(cwd)
  const server = await startRecordedServer({ respond, clock: systemClock })
  const stop = new AbortController()
  const sent: FromWorker[] = []
  const watchers = new Map<string, () => void>()
  const send = (message: FromWorker) => {
    sent.push(message)
    if (message.type === 'event') watchers.get(message.event.type)?.()
  }
  const { fetch } = globalThis
  onTestFinished(async () => {
    globalThis.fetch = fetch
    stop.abort()
    await server.close()
  })

  async function ask(
    prompts: readonly string[] = ['Do it.'],
    given: Partial<HarnessSpec> = {},
  ): Promise<TurnEnd> {
    globalThis.fetch = fetch
    const made = taskFor(
      {
        codonId: 'draft',
        provider,
        model,
        cwd,
        home,
        marker: 'WEAVE_EXECUTION_ID=desk',
        env: { PATH: process.env['PATH'] ?? '', ...env(server.url) },
        autoCompact: false,
        prompt: '',
        onRaw: () => undefined,
        nextPrompt: () => undefined,
        ...given,
      },
      factsOf,
    )
    if (!made.ok) throw new Error(made.message)
    const reporter = createEventReporter({
      send,
      clock: systemClock,
      modelId: model,
    })
    const sdk = loadSdk()
    ;(await sdk).ai.resetApiProviders()
    const opened = await openAgent(made.task, { sdk, reporter, clock: systemClock, stop: stop.signal })
    const end = opened.type === 'agent' ? await takeTurns(opened.agent, prompts) : opened
    reporter.close()
    return end
  }

  async function fail(given?: Partial<HarnessSpec>): Promise<WorkerFailure> {
    const end = await ask(undefined, given)
    if (end.type !== 'failed') throw new Error(`the turn did not fail: ${JSON.stringify(end)}`)
    return end
  }

  return {
    server,
    cwd,
    home,
    sent,
    get events() {
      return sent.flatMap(message => (message.type === 'event' ? [message.event] : []))
    },
    ask,
    fail,
    told: type => new Promise(resolve => watchers.set(type, resolve)),
    stop: () => stop.abort(),
  }
}

async function takeTurns(agent: Agent, prompts: readonly string[]): Promise<TurnEnd> {
  let end: TurnEnd = { type: 'turn' }
  for (const prompt of prompts) {
    end = await takeTurn(agent, prompt)
    if (end.type !== 'turn') return end
  }
  return end
}
