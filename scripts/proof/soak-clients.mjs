import { connect } from 'weave-client'
import { WebSocket } from 'ws'

/**
 * A client that stays, and others that come, read the whole journal and go. None may miss or repeat an event.
 *
 * @param {string} url
 */
export function soakClients(url) {
  const options = { mode: /** @type {const} */ ('readonly'), since: 0, socket: WebSocket }
  let heard = 0
  let completed = 0
  let visits = 0
  /** @type {string[]} */
  const faults = []
  const resident = connect(url, options)
  resident.onAny(event => {
    if (!('seq' in event) || event.seq === undefined) return
    if (event.seq !== heard + 1) faults.push(`event ${event.seq} came after ${heard}`)
    heard = event.seq
    if (event.type === 'codon.completed') completed++
  })
  return {
    /** One more comes and goes. */
    async visit() {
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
    /** What they have seen. */
    seen: () => ({ heard, completed, visits, faults }),
    close: () => resident.close(),
  }
}
