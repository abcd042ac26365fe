import { Socket } from 'node:net'
import type { Api, SimpleStreamOptions } from '@earendil-works/pi-ai'
import {
  type Clock,
  createAsyncQueue,
  isObject,
  killMarked,
  splitLines,
  systemClock,
} from '../../../kit/index.ts'
import { launchFailure } from '../../available.ts'
import type { AgentTask, FromWorker, ToWorker, WorkerFailure } from '../worker-protocol.ts'
import { quirksOf } from './dialect-quirks.ts'
import { observeFetch } from './observe-fetch.ts'
import { loadSdk, openSession, type Sdk } from './open-session.ts'
import { pickModel } from './pick-model.ts'
import { createEventReporter, type EventReporter } from './reporter.ts'
import { serverTools } from './server-tools.ts'
import { type Agent, failure, takeTurn } from './take-turn.ts'
import { warmUp } from './warm-up.ts'

type Channel = ReturnType<typeof openChannel>

const longestMessage = 16 << 20

/** `onAbort` is called for every `abort`, whatever else waits. */
function openChannel(fd: number, onAbort: () => void) {
  const socket = new Socket({ fd })
  const inbox = createAsyncQueue<ToWorker>()
  const splitter = splitLines()
  const closed = new Promise<void>(resolve => {
    const end = () => {
      inbox.close()
      resolve()
    }
    socket.once('end', end).once('close', end)
  })
  // 'close' follows.
  socket.on('error', () => undefined)
  socket.on('data', chunk => {
    for (const { bytes } of splitter.push(chunk)) {
      const message: unknown = JSON.parse(bytes.toString())
      if (!isToWorker(message)) continue
      if (message.type === 'abort') onAbort()
      else inbox.put(message)
    }
  })

  return {
    send(message: FromWorker): void {
      if (socket.writable) socket.write(`${format(message)}\n`)
    },
    /** All but `abort`. Undefined once the pipe is closed or `signal` aborts. */
    next: (signal: AbortSignal) => inbox.take(signal).catch(() => undefined),
    closed,
    /** When everything is written, or cannot be. Nothing may be sent afterwards. */
    flush: () => Promise.race([closed, new Promise<void>(resolve => socket.end(resolve))]),
  }
}

/** The other end is our own program of the same version: its messages are distinguished, not validated. */
function isToWorker(message: unknown): message is ToWorker {
  return isObject(message) && typeof message['type'] === 'string'
}

/** A message of the SDK may be of any size and hold anything, also what JSON cannot. */
function format(message: FromWorker): string {
  if (message.type !== 'raw') return JSON.stringify(message)
  const type = isObject(message.message) ? message.message['type'] : undefined
  try {
    const text = JSON.stringify(message)
    if (text.length <= longestMessage) return text
    return JSON.stringify({ type: 'raw', message: { type, omitted: text.length } })
  } catch (error) {
    return JSON.stringify({ type: 'raw', message: { type, unreadable: String(error) } })
  }
}

const exitCodes = { done: 0, orphaned: 0, terminated: 143, fault: 1 }
const lastMs = 1_000

/**
 * The program of a worker process: takes one task from its pipe, runs its agent, reports. Loads the SDK before the task is
 * there. Gives the exit code; the caller must end the process with it, since the SDK keeps connections open. When the pipe
 * closes the server is gone: the agent and everything that carries its marker are ended first.
 *
 * `home`: of the person who started the server. The environment here is that of a codon, which its hank may have a say in.
 */
export async function runAgentWorker(home?: string): Promise<number> {
  const stop = new AbortController()
  const channel = openChannel(3, () => stop.abort())
  const sdk = loadSdk(home)
  // Awaited once the task is there.
  sdk.catch(() => undefined)
  let task: AgentTask | undefined
  let fault = ''

  async function work(): Promise<'done'> {
    let first = await channel.next(stop.signal)
    if (first?.type === 'warm') {
      void warmUp(sdk, first.wanted)
      first = await channel.next(stop.signal)
    }
    if (first?.type === 'task') {
      task = first.task
      await runTask(task, { channel, sdk, stop: stop.signal })
    }
    await channel.flush()
    return 'done'
  }

  const done = work()
  const interrupted = new Promise<'orphaned' | 'terminated' | 'fault'>(resolve => {
    const catchIt = (error: unknown) => {
      fault = error instanceof Error ? (error.stack ?? error.message) : String(error)
      resolve('fault')
    }
    void channel.closed.then(() => resolve('orphaned'))
    process.once('SIGTERM', () => resolve('terminated'))
    process.once('uncaughtException', catchIt)
    process.once('unhandledRejection', catchIt)
  })
  const why = await Promise.race([done, interrupted])
  if (why === 'done') return exitCodes.done
  stop.abort()
  if (why === 'fault') {
    channel.send(failure({ kind: 'crash', message: fault }))
    await channel.flush()
  } else await Promise.race([done, systemClock.sleep(lastMs)])
  if (why === 'orphaned' && task) await killMarked(task.marker, { graceMs: lastMs })
  return exitCodes[why]
}

interface TaskOptions {
  readonly channel: Channel
  readonly sdk: Promise<Sdk>
  readonly stop: AbortSignal
}

/** Never rejects. */
async function runTask(task: AgentTask, { channel, sdk, stop }: TaskOptions): Promise<void> {
  const clock = systemClock
  const reporter = createEventReporter({ send: channel.send, clock, modelId: task.model })
  const opened = await Promise.race([openAgent(task, { sdk, stop, clock, reporter }), stopped(stop)])
  if (opened.type === 'agent') await turns(opened.agent, task.prompt, channel)
  else channel.send(opened)
  reporter.close()
}

async function turns(agent: Agent, firstPrompt: string, channel: Channel): Promise<void> {
  for (let prompt: string | undefined = firstPrompt; prompt !== undefined; ) {
    const end = await takeTurn(agent, prompt)
    channel.send(end)
    const answer = end.type === 'turn' ? await channel.next(agent.stop) : undefined
    prompt = answer?.type === 'prompt' ? answer.text : undefined
  }
}

function stopped(stop: AbortSignal): Promise<{ readonly type: 'stopped' }> {
  return new Promise(resolve => {
    const end = () => resolve({ type: 'stopped' })
    if (stop.aborted) end()
    else stop.addEventListener('abort', end, { once: true })
  })
}

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
    return failure({ kind: 'launch', message: launchFailure('pi', error) })
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
  const tools = await serverTools({
    sdk,
    task,
    fetch: globalThis.fetch,
    onTrouble: (server, message) => reporter.note({ type: 'mcp_server', server, status: 'failed', message }),
  })
  globalThis.fetch = observer.fetch
  const opened = await openSession(sdk, task, { model: picked.model, tools })
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
