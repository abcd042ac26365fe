import { type Clock, type LaunchOptions, type Result, systemClock } from '../../kit/index.ts'
import { credentialFor, credentialVariables, endpointFor, type Model } from '../../models/index.ts'
import { crashed, failedWith, stopped } from '../failure.ts'
import type {
  Harness,
  HarnessEnd,
  HarnessEvent,
  HarnessSpec,
  HarnessSurroundings,
  ToolChoice,
} from '../harness.ts'
import { workerEnvironment } from './worker-environment.ts'
import type { Incoming } from './worker-messages.ts'
import { startWorker, type WorkerCommand, type WorkerProcess } from './worker-process.ts'
import type { Address, AgentTask } from './worker-protocol.ts'

export interface EmbeddedHarnessOptions extends Pick<LaunchOptions, 'own'> {
  readonly worker: WorkerCommand
  /** For models that are newer than the catalogue of the SDK. */
  readonly factsOf?: ModelFacts
  readonly clock?: Clock
  /** By default all that the agent has. */
  readonly tools?: ToolChoice | undefined
  /** Where the person's own Pi agent keeps its logins, to be used where no variable holds a key. */
  readonly authFile?: string | undefined
}

/**
 * Agents on the Pi SDK, each in a process of its own: the SDK gives its commands the environment of its process, and a
 * process can be ended whatever it does.
 */
export function createEmbeddedHarness(options: EmbeddedHarnessOptions): Harness {
  const { worker: command, factsOf = () => undefined, own, clock = systemClock } = options
  let ready: { readonly name: string; readonly worker: WorkerProcess } | undefined
  const leaving = new Set<Promise<void>>()

  function launch({ cwd, env, home, marker }: HarnessSurroundings): WorkerProcess {
    return startWorker({ ...command, cwd, env: workerEnvironment(env, home), marker, clock, own })
  }

  function dismiss(): void {
    if (!ready) return
    const gone = ready.worker.discard().finally(() => leaving.delete(gone))
    leaving.add(gone)
    ready = undefined
  }

  /** The worker made ready for just this, if it is still there. */
  function take(surroundings: HarnessSurroundings): WorkerProcess | undefined {
    if (!ready || ready.worker.end || ready.name !== nameOf(surroundings)) return undefined
    const { worker } = ready
    ready = undefined
    return worker
  }

  async function* start(spec: HarnessSpec, signal: AbortSignal): AsyncGenerator<HarnessEvent> {
    const made = taskFor(spec, factsOf)
    if (!made.ok || signal.aborted) {
      dismiss()
      yield { type: 'ended', end: made.ok ? stopped : failedWith({ kind: 'launch', message: made.message }) }
      return
    }
    const run = { spec, task: { ...made.task, tools: options.tools, authFile: options.authFile }, signal }
    const prepared = take(spec)
    dismiss()
    if (prepared && (yield* runWorker(prepared, { ...run, isReplaceable: true }))) return
    yield* runWorker(launch(spec), { ...run, isReplaceable: false })
  }

  return {
    prepare(surroundings) {
      if (ready && !ready.worker.end && ready.name === nameOf(surroundings)) return
      dismiss()
      const { provider, model } = surroundings
      const worker = launch(surroundings)
      worker.send({ type: 'warm', wanted: { provider, model, dialect: factsOf(provider, model)?.dialect } })
      ready = { name: nameOf(surroundings), worker }
    },
    start,
    async close() {
      dismiss()
      await Promise.all(leaving)
    },
  }
}

/** Equal for surroundings in which a worker cannot tell the difference. */
function nameOf(surroundings: HarnessSurroundings): string {
  const { codonId, provider, model, cwd, env, home, autoCompact } = surroundings
  const variables = Object.entries(env).sort(([left], [right]) => (left < right ? -1 : 1))
  return JSON.stringify([codonId, provider, model, cwd, home, autoCompact, variables])
}

interface WorkerRun {
  readonly spec: HarnessSpec
  readonly task: AgentTask
  readonly signal: AbortSignal
  /** One that was made ready may have died since; another can be had. */
  readonly isReplaceable: boolean
}

/**
 * Yields a worker's events until nothing of it is left. Stopping does not wait for their consumer. `false`: a replaceable
 * worker ended without a word, so nothing has happened yet.
 */
async function* runWorker(
  worker: WorkerProcess,
  { spec, task, signal, isReplaceable }: WorkerRun,
): AsyncGenerator<HarnessEvent, boolean, undefined> {
  let end: HarnessEnd | undefined
  let isSilent = true
  const stop = () => {
    end ??= stopped
    void worker.stop()
  }
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    worker.send({ type: 'task', task })
    for await (const message of worker.messages()) {
      isSilent = false
      if (message.type === 'raw') spec.onRaw(message.message)
      else if (message.type === 'event') yield message.event
      else if (message.type === 'turn') end ??= goOn(worker, spec)
      else {
        if (message.type === 'failed' && message.contextFull && !end) yield { type: 'context-full' }
        end ??= reportedEnd(message)
        if (message.type === 'garbage') void worker.stop()
      }
    }
    await worker.finish()
    if (!end && isSilent && isReplaceable) return false
    end ??= crashed('The agent worker', worker.end, worker.lastWords())
  } finally {
    signal.removeEventListener('abort', stop)
    // Without an end the consumer of the events has gone.
    if (!end) await worker.stop()
    await worker.sweep()
  }
  yield { type: 'ended', end }
  return true
}

/** The end, if there is no further prompt. */
function goOn(worker: WorkerProcess, spec: HarnessSpec): HarnessEnd | undefined {
  const text = spec.nextPrompt()
  worker.send(text === undefined ? { type: 'finish' } : { type: 'prompt', text })
  return text === undefined ? { ok: true } : undefined
}

export function reportedEnd(
  message: Extract<Incoming, { readonly type: 'failed' | 'stopped' | 'garbage' }>,
): HarnessEnd {
  if (message.type === 'stopped') return stopped
  if (message.type === 'garbage') return failedWith({ kind: 'crash', message: message.message })
  const { trouble, retryAfterMs, contextFull } = message
  const end = failedWith(
    contextFull ? { kind: 'answer', status: 400, message: 'The context is full.' } : trouble,
  )
  return { ...end, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** Undefined where the catalogue does not know the model. */
export type ModelFacts = (
  provider: string,
  id: string,
) => Pick<Model, 'contextWindow' | 'maxOutputTokens' | 'dialect' | 'reasoning' | 'compat'> | undefined

/** Where the provider is asked, with which key, about which model. */
export function taskFor(spec: HarnessSpec, factsOf: ModelFacts): Result<{ readonly task: AgentTask }> {
  const { provider, model, cwd, env, marker, home, autoCompact } = spec
  const { prompt, systemPrompt, previousSessionId } = spec
  const address = addressFor(provider, env)
  if (!address.ok) return address
  const credential = credentialFor(provider, 'codon', env)
  const key = credential.ok ? credential.value.trim() : undefined
  const keyVariables = credentialVariables(provider, 'codon')
  const { contextWindow, maxOutputTokens, dialect, reasoning, compat } = factsOf(provider, model) ?? {}
  const asked = {
    provider,
    model,
    contextWindow,
    maxOutputTokens,
    dialect,
    reasoning,
    compat,
    key,
    keyVariables,
    address: address.address,
  }
  const surroundings = { cwd, env, marker, home, autoCompact, thinking: spec.thinking, servers: spec.servers }
  return { ok: true, task: { ...asked, ...surroundings, prompt, systemPrompt, previousSessionId } }
}

/** Only an address that a variable gives: the SDK knows the usual ones, model by model. */
function addressFor(
  provider: string,
  env: Readonly<Record<string, string>>,
): Result<{ readonly address?: Address }> {
  const endpoint = endpointFor(provider, env)
  if (endpoint.ok) {
    const { root, api, variable } = endpoint
    return { ok: true, ...(variable !== undefined && { address: { root, api } }) }
  }
  const isGiven = (env[endpoint.variable] ?? '').trim() !== ''
  return isGiven ? { ok: false, message: endpoint.message } : { ok: true }
}
