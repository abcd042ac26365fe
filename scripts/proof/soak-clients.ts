import { connect, type WeaveClient } from 'weave-client'
import { WebSocket } from 'ws'

const gateEvery = 20

/**
 * A client that stays, steers and goes on with the next server, and others that come, read the whole journal and go. None may miss
 * or repeat an event.
 */
export function soakClients() {
  let heard = 0
  let completed = 0
  let visits = 0
  let approved = 0
  let url = ''
  let isStopping = false
  let resident: WeaveClient | undefined
  const faults: string[] = []
  const done = async (what: string, answer: Promise<{ readonly ok: boolean }>): Promise<boolean> => {
    const { ok } = await answer
    if (!ok) faults.push(`${what} was refused`)
    return ok
  }
  return {
    /** To a server, after all that was heard of the one before. */
    join(address: string): void {
      resident?.close()
      url = address
      isStopping = false
      const client = connect(url, { mode: 'readandwrite', since: heard, socket: WebSocket })
      resident = client
      client.onAny(event => {
        if (event.seq === undefined) return
        if (event.seq !== heard + 1) faults.push(`event ${event.seq} came after ${heard}`)
        heard = event.seq
        if (event.type === 'codon.completed' && ++completed % gateEvery === 0 && !isStopping)
          void done('a hold', client.send('gate.hold', {}))
        if (event.type === 'gate.waiting')
          void done('an approval', client.send('gate.decide', { seq: event.seq, decision: 'approve' })).then(
            ok => {
              if (ok) approved++
            },
          )
      })
    },
    /** The server is to be stopped: the codon that this ends is no reason to ask it for a gate. */
    stopping(): void {
      isStopping = true
    },
    /** One more comes and goes. */
    async visit(): Promise<void> {
      visits++
      const visitor = connect(url, { mode: 'readonly', socket: WebSocket })
      const opened = await visitor.opened
      let read = 0
      if (!opened.ok) faults.push(`visit ${visits} was not let in`)
      else {
        for await (const batch of visitor.history({ timeoutMs: 60_000 })) {
          if (!batch.ok) faults.push(`visit ${visits} could not read on after ${read} events`)
          else read += batch.events.length
        }
        if (read < (visitor.totalEvents ?? 0))
          faults.push(`visit ${visits} read ${read} of ${visitor.totalEvents}`)
      }
      visitor.close()
    },
    seen: () => ({ heard, completed, visits, approved, faults }),
    close: () => resident?.close(),
  }
}
