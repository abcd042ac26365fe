import { connect } from 'weave-client'
import { WebSocket } from 'ws'

/** Collects what a run costs and prints it per codon when the run ends. */
const [, , url] = process.argv
if (!url) throw new Error('Usage: node costs.mjs ws://localhost:<port>')

const tokens = new Map()
const client = connect(url, { mode: 'readonly', since: 0, socket: WebSocket })
client.on('token.usage', ({ data }) => {
  const sum = tokens.get(data.codonId) ?? { input: 0, output: 0, cached: 0 }
  sum.input += data.inputTokens
  sum.output += data.outputTokens
  sum.cached += data.cacheReadTokens
  tokens.set(data.codonId, sum)
})
client.on('run.completed', ({ data }) => {
  console.table(
    data.codons.map(({ codonId, status, attempts, cost }) => ({
      codon: codonId,
      status,
      attempts,
      dollars: cost,
      ...tokens.get(codonId),
    })),
  )
  console.log(`${data.status}: $${data.totalCost.toFixed(4)} in ${(data.duration / 1000).toFixed(1)} s`)
  client.close()
})
