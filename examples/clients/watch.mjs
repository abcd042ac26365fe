import { connect, describeEvent, harmless } from 'weave-client'
import { WebSocket } from 'ws'

/** Prints what happens in a run. Nothing is missed or told twice, also when the connection is lost in between. */
const [, , url] = process.argv
if (!url) throw new Error('Usage: node watch.mjs ws://localhost:<port>')

const client = connect(url, { mode: 'readonly', since: 0, socket: WebSocket })
client.onAny(event => {
  if ('seq' in event) console.log(String(event.seq).padStart(6), harmless(describeEvent(event)))
})
client.onStatus(status => {
  if (status.state === 'reconnecting') console.error(`connection lost (${status.reason}), trying again`)
  if (status.state === 'closed') console.error(`the end: ${status.reason || status.code}`)
})
