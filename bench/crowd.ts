import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Answer, Order } from './receivers.ts'

/** The receivers, in their own process. */
export interface Crowd {
  ask(order: Order): Promise<Answer>
  close(): Promise<void>
}

export function startCrowd(): Crowd {
  const child = fork(new URL('./receivers.ts', import.meta.url).pathname, {
    execArgv: ['--import', 'tsx', '--conditions=weave-source'],
  })
  return {
    async ask(order) {
      const answer = once(child, 'message')
      child.send(order)
      return (await answer)[0] as Answer
    },
    async close() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
