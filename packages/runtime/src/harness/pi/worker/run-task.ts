import type { Clock } from '../../../kit/index.ts'
import type { AgentTask } from '../task.ts'
import type { Channel } from './channel.ts'
import { createNarrator } from './narrator.ts'
import { openAgent } from './open-agent.ts'
import type { Sdk } from './sdk.ts'
import { type Agent, takeTurn } from './take-turn.ts'

export interface TaskOptions {
  readonly channel: Channel
  readonly sdk: Promise<Sdk>
  readonly stop: AbortSignal
  readonly clock: Clock
}

/** Runs an agent, turn after turn, for as long as the server has prompts. Never rejects. */
export async function runTask(task: AgentTask, { channel, ...options }: TaskOptions): Promise<void> {
  const narrator = createNarrator({ send: channel.send, clock: options.clock, modelId: task.model })
  const opened = await Promise.race([openAgent(task, { ...options, narrator }), stopped(options.stop)])
  if (opened.type === 'agent') await turns(opened.agent, task.prompt, channel)
  else channel.send(opened)
  narrator.close()
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
