import { Socket } from 'node:net'
import {
  type Clock,
  createAsyncQueue,
  isObject,
  killMarked,
  splitLines,
  systemClock,
} from '../../../kit/index.ts'
import type { AgentTask, FromWorker, ToWorker } from '../worker-protocol.ts'
import { openAgent } from './open-agent.ts'
import { loadSdk, type Sdk } from './open-session.ts'
import { createEventReporter } from './reporter.ts'
import { type Agent, takeTurn } from './take-turn.ts'

type Ending =
  | { readonly why: 'done' | 'orphaned' | 'terminated' }
  /** An uncaught exception or an unhandled rejection. */
  | { readonly why: 'fault'; readonly message: string }

const exitCodes = { done: 0, orphaned: 0, terminated: 143, fault: 1 }
const lastMs = 1_000

/**
 * The program of a worker process: takes one task from its pipe, runs its agent, reports what it does. Loads the SDK at
 * once, before the task is there. The result is the exit code; the caller must end the process with it, since the SDK
 * keeps connections open.
 *
 * When the pipe closes the server is gone: the agent and everything that carries its marker are ended first.
 */
export async function runAgentWorker(): Promise<number> {
  const stop = new AbortController()
  const channel = openChannel(3, () => stop.abort())
  const sdk = loadSdk()
  // Awaited once the task is there.
  sdk.catch(() => undefined)
  let task: AgentTask | undefined

  async function work(): Promise<Ending> {
    const first = await channel.next(stop.signal)
    if (first?.type === 'task') {
      task = first.task
      await runTask(task, { channel, sdk, stop: stop.signal, clock: systemClock })
    }
    await channel.flush()
    return { why: 'done' }
  }

  const done = work()
  const ending = await Promise.race([done, orphaned(channel), terminated(), fault()])
  if (ending.why === 'done') return exitCodes.done
  stop.abort()
  if (ending.why === 'fault') await reportCrash(channel, ending.message)
  else await Promise.race([done, systemClock.sleep(lastMs)])
  if (ending.why === 'orphaned' && task) await killMarked(task.marker, { graceMs: lastMs })
  return exitCodes[ending.why]
}

async function orphaned(channel: Channel): Promise<Ending> {
  await channel.closed
  return { why: 'orphaned' }
}

function terminated(): Promise<Ending> {
  return new Promise(resolve => process.once('SIGTERM', () => resolve({ why: 'terminated' })))
}

function fault(): Promise<Ending> {
  return new Promise(resolve => {
    const catchIt = (error: unknown) => {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
      resolve({ why: 'fault', message })
    }
    process.once('uncaughtException', catchIt)
    process.once('unhandledRejection', catchIt)
  })
}

async function reportCrash(channel: Channel, message: string): Promise<void> {
  channel.send({ type: 'failed', trouble: { kind: 'crash', message }, contextFull: false })
  await channel.flush()
}

interface TaskOptions {
  readonly channel: Channel
  readonly sdk: Promise<Sdk>
  readonly stop: AbortSignal
  readonly clock: Clock
}

/** Runs an agent, turn after turn, for as long as the server has prompts. Never rejects. */
async function runTask(task: AgentTask, { channel, ...options }: TaskOptions): Promise<void> {
  const reporter = createEventReporter({ send: channel.send, clock: options.clock, modelId: task.model })
  const opened = await Promise.race([openAgent(task, { ...options, reporter }), stopped(options.stop)])
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

/** The worker's end of the pipe. */
interface Channel {
  send(message: FromWorker): void
  /** The next message but `abort`. Undefined once the pipe is closed or `signal` aborts. */
  next(signal: AbortSignal): Promise<ToWorker | undefined>
  /** Resolves when nobody listens any more; never rejects. */
  readonly closed: Promise<void>
  /** Resolves when everything is written, or cannot be. Nothing may be sent afterwards. */
  flush(): Promise<void>
}

const longestMessage = 16 << 20

/** `onAbort` is called for every `abort`, whatever else waits. */
function openChannel(fd: number, onAbort: () => void): Channel {
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
      const message = parse(bytes.toString())
      if (message?.type === 'abort') onAbort()
      else if (message) inbox.put(message)
    }
  })

  return {
    send(message) {
      if (socket.writable) socket.write(`${format(message)}\n`)
    },
    next: signal => inbox.take(signal).catch(() => undefined),
    closed,
    flush: () => Promise.race([closed, new Promise<void>(resolve => socket.end(resolve))]),
  }
}

function parse(line: string): ToWorker | undefined {
  const message: unknown = JSON.parse(line)
  return isToWorker(message) ? message : undefined
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
