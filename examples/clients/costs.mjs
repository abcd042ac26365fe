import { connect } from 'weave-client'
import { WebSocket } from 'ws'

/** Collects what a run costs and prints it when the run ends: a row for each attempt at a codon. */
const [, , url] = process.argv
if (!url) throw new Error('Usage: node costs.mjs ws://localhost:<port>')

const none = { input: 0, output: 0, cached: 0 }
/** What the attempt that is at work has used so far; usage is told before the codon ends. */
let used = none
let attempts = []

const client = connect(url, { mode: 'readonly', since: 0, socket: WebSocket })
client.on('run.started', () => {
  attempts = []
})
client.on('token.usage', ({ data }) => {
  used = {
    input: used.input + data.inputTokens,
    output: used.output + data.outputTokens,
    cached: used.cached + data.cacheReadTokens,
  }
})
client.on('codon.completed', ({ data }) => {
  const { codonId, success, cost } = data
  attempts.push({ codon: codonId, status: success ? 'completed' : 'failed', cost: money(cost), ...used })
  used = none
})
client.on('run.completed', ({ data }) => {
  console.table(attempts)
  console.log(`${data.status}: ${money(data.totalCost)} in ${(data.duration / 1000).toFixed(1)} s`)
  client.close()
})

/** @param {number} dollars */
function money(dollars) {
  return `$${dollars.toFixed(4)}`
}
