import { crashed, failedWith, stopped } from '../failure.ts'
import type { HarnessEnd, HarnessEvent, HarnessSpec } from '../harness.ts'
import type { Incoming } from './worker-messages.ts'
import type { WorkerProcess } from './worker-process.ts'
import type { AgentTask } from './worker-protocol.ts'

export interface WorkerRun {
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
export async function* runWorker(
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
