import { killMarked, systemClock } from '../../../kit/index.ts'
import type { AgentTask } from '../task.ts'
import { type Channel, openChannel } from './channel.ts'
import { runTask } from './run-task.ts'
import { loadSdk } from './sdk.ts'

type Ending =
  | { readonly why: 'done' | 'alone' | 'told' }
  /** Something that nobody awaited went wrong. */
  | { readonly why: 'fault'; readonly message: string }

const exitCodes = { done: 0, alone: 0, told: 143, fault: 1 }
const lastMs = 1_000

/**
 * The program of a worker process: takes one task from its pipe, runs its agent, tells what it does. Loads the SDK at
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
  const ending = await Promise.race([done, left(channel), told(), fault()])
  if (ending.why === 'done') return exitCodes.done
  stop.abort()
  if (ending.why === 'fault') await confess(channel, ending.message)
  else await Promise.race([done, systemClock.sleep(lastMs)])
  if (ending.why === 'alone' && task) await killMarked(task.marker, { graceMs: lastMs })
  return exitCodes[ending.why]
}

async function left(channel: Channel): Promise<Ending> {
  await channel.closed
  return { why: 'alone' }
}

function told(): Promise<Ending> {
  return new Promise(resolve => process.once('SIGTERM', () => resolve({ why: 'told' })))
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

async function confess(channel: Channel, message: string): Promise<void> {
  channel.send({ type: 'failed', trouble: { kind: 'crash', message }, contextFull: false })
  await channel.flush()
}
