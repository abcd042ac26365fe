import type { SendResult, WeaveClient } from 'weave-client'
import type { Order } from './model/ui.ts'

/** Asks the server to end. False: it could not be asked. */
export async function askToEnd(client: WeaveClient): Promise<boolean> {
  const result = await client.send('server.shutdown', { reason: 'left at the terminal' })
  return result.ok
}

/** One call for each type: only so the compiler can follow which data belongs to which. */
export function sendOrder(client: WeaveClient, order: Order): Promise<SendResult> {
  switch (order.type) {
    case 'codon.next':
      return client.send(order.type, order.data)
    case 'codon.skip':
      return client.send(order.type, order.data)
    case 'codon.redo':
      return client.send(order.type, order.data)
    case 'codon.forceStop':
      return client.send(order.type, order.data)
    case 'rollback.toCheckpoint':
      return client.send(order.type, order.data)
  }
}
