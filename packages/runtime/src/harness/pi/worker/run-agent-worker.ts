import { killMarked, systemClock } from '../../../kit/index.ts'
import type { AgentTask } from '../worker-protocol.ts'
import { type Channel, openChannel } from './channel.ts'
import { openAgent } from './open-agent.ts'
import { loadSdk, type Sdk } from './open-session.ts'
import { createEventReporter } from './reporter.ts'
import { type Agent, failure, takeTurn } from './take-turn.ts'

const exitCodes = { done: 0, orphaned: 0, terminated: 143, fault: 1 }
const lastMs = 1_000

/**
 * The program of a worker process: takes one task from its pipe, runs its agent, reports. Loads the SDK before the task is
 * there. Gives the exit code; the caller must end the process with it, since the SDK keeps connections open. When the pipe
 * closes the server is gone: the agent and everything that carries its marker are ended first.
 */
export async function runAgentWorker(): Promise<number> {
  const stop = new AbortController()
  const channel = openChannel(3, () => stop.abort())
  const sdk = loadSdk()
  // Awaited once the task is there.
  sdk.catch(() => undefined)
  let task: AgentTask | undefined
  let fault = ''

  async function work(): Promise<'done'> {
    const first = await channel.next(stop.signal)
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
