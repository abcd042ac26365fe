import type { Api, SimpleStreamOptions } from '@earendil-works/pi-ai'
import type { Clock } from '../../../kit/index.ts'
import { piLaunchFailure } from '../../available.ts'
import type { AgentTask, WorkerFailure } from '../worker-protocol.ts'
import { quirksOf } from './dialect-quirks.ts'
import { observeFetch } from './observe-fetch.ts'
import { openSession, type Sdk } from './open-session.ts'
import { pickModel } from './pick-model.ts'
import type { EventReporter } from './reporter.ts'
import { type Agent, failure } from './take-turn.ts'

interface AgentParts {
  readonly sdk: Promise<Sdk>
  readonly reporter: EventReporter
  readonly clock: Clock
  readonly stop: AbortSignal
}

type OpenedAgent = { readonly type: 'agent'; readonly agent: Agent } | WorkerFailure

/** Replaces this process's `fetch` by one that is watched. Never rejects. */
export async function openAgent(task: AgentTask, parts: AgentParts): Promise<OpenedAgent> {
  try {
    return await open(task, parts, await parts.sdk)
  } catch (error) {
    return failure({ kind: 'launch', message: piLaunchFailure(error) })
  }
}

async function open(task: AgentTask, parts: AgentParts, sdk: Sdk): Promise<OpenedAgent> {
  const { reporter, clock, stop } = parts
  const provider = sdk.ai.getProviders().find(name => name === task.provider)
  const picked = pickModel(provider ? sdk.ai.getModels(provider) : [], task)
  if (!picked.ok) return failure({ kind: 'launch', message: picked.message })
  const { api } = picked.model
  const quirks = quirksOf(api)
  const observer = observeFetch({ fetch: globalThis.fetch, clock, onBytes: reporter.alive, quirks })
  globalThis.fetch = observer.fetch
  const opened = await openSession(sdk, task, picked.model)
  if (!opened.ok) return failure({ kind: opened.kind, message: opened.message })
  const { session } = opened
  chargeSummaries(sdk, api, reporter)
  reporter.begin(session.sessionId)
  session.subscribe(reporter.handle)
  return { type: 'agent', agent: { sdk, session, observer, clock, stop } }
}

/** The SDK shortens a session on the side: it does not report what those calls cost, and its client would retry them. */
function chargeSummaries({ ai }: Sdk, api: Api, reporter: EventReporter): void {
  const inner = ai.getApiProvider(api)
  if (!inner) return
  ai.registerApiProvider({
    api,
    stream: inner.stream,
    streamSimple(model, context, options?: SimpleStreamOptions) {
      if (!reporter.isCompacting()) return inner.streamSimple(model, context, options)
      const stream = inner.streamSimple(model, context, { ...options, maxRetries: 0 })
      void stream.result().then(({ usage }) => reporter.charge(usage))
      return stream
    },
  })
}
