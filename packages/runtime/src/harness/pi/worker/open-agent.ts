import { type Clock, errorCode, messageOf } from '../../../kit/index.ts'
import { descriptorShortage } from '../../descriptors.ts'
import { installLine } from '../available.ts'
import type { AgentTask } from '../task.ts'
import type { WorkerFailure } from '../worker-message.ts'
import { chargeSummaries } from './charge-summaries.ts'
import { quirksOf } from './dialect-quirks.ts'
import type { Narrator } from './narrator.ts'
import { observeFetch } from './observe-fetch.ts'
import { openSession } from './open-session.ts'
import { pickModel } from './pick-model.ts'
import type { Sdk } from './sdk.ts'
import type { Agent } from './take-turn.ts'

export interface AgentParts {
  readonly sdk: Promise<Sdk>
  readonly narrator: Narrator
  readonly clock: Clock
  readonly stop: AbortSignal
}

export type OpenedAgent = { readonly type: 'agent'; readonly agent: Agent } | WorkerFailure

/** An agent that waits for its first prompt. Replaces this process's `fetch` by one that is watched. Never rejects. */
export async function openAgent(task: AgentTask, parts: AgentParts): Promise<OpenedAgent> {
  try {
    return await open(task, parts, await parts.sdk)
  } catch (error) {
    return failed('launch', launchMessage(error))
  }
}

async function open(task: AgentTask, parts: AgentParts, sdk: Sdk): Promise<OpenedAgent> {
  const { narrator, clock, stop } = parts
  const provider = sdk.ai.getProviders().find(name => name === task.provider)
  const picked = pickModel(provider ? sdk.ai.getModels(provider) : [], task)
  if (!picked.ok) return failed('launch', picked.message)
  const { api } = picked.model
  const quirks = quirksOf(api)
  const observer = observeFetch({ fetch: globalThis.fetch, clock, onBytes: narrator.alive, quirks })
  globalThis.fetch = observer.fetch
  const opened = await openSession(sdk, task, picked.model)
  if (!opened.ok) return failed(opened.kind, opened.message)
  const { session } = opened
  chargeSummaries(sdk, api, narrator)
  narrator.begin(session.sessionId)
  session.subscribe(narrator.hear)
  return { type: 'agent', agent: { sdk, session, narrator, observer, clock, stop } }
}

function launchMessage(error: unknown): string {
  const shortage = descriptorShortage(errorCode(error))
  if (shortage !== undefined) return shortage
  const isMissing = errorCode(error) === 'ERR_MODULE_NOT_FOUND'
  if (isMissing) return `The embedded SDK is not installed. Run: ${installLine}`
  return `The embedded SDK could not be started: ${messageOf(error)}`
}

function failed(kind: WorkerFailure['trouble']['kind'], message: string): WorkerFailure {
  return { type: 'failed', trouble: { kind, message }, contextFull: false }
}
