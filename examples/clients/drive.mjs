import { createInterface } from 'node:readline/promises'
import { connect } from 'weave-client'
import { WebSocket } from 'ws'

/** Runs a hank codon by codon. Best with a server that was started with --no-autostart. */
const [, , url] = process.argv
if (!url) throw new Error('Usage: node drive.mjs ws://localhost:<port>')

const client = connect(url, { mode: 'readandwrite', socket: WebSocket })
const opened = await client.opened
if (!opened.ok) throw new Error(`The server refused: ${opened.reason}`)

const idle = () => new Promise(resolve => client.on('server.idle', event => resolve(event.data)))
client.on('codon.completed', ({ data }) => {
  console.log(`${data.codonId} ${data.success ? 'is done' : 'failed'}, $${data.cost.toFixed(4)}`)
})

const words = createInterface({ input: process.stdin, output: process.stdout })
for (;;) {
  const word = (await words.question('next, back, redo or quit? ')).trim()
  if (word === 'quit') break
  const waiting = idle()
  const answer = await command(word)
  if (!answer) continue
  if (!answer.ok) console.log(answer.message)
  else if ((await waiting).reason === 'all-codons-completed') console.log('All codons are done.')
}
words.close()
client.close()

/** @param {string} word */
async function command(word) {
  if (word === 'next') return client.send('codon.next')
  if (word === 'redo') return client.send('codon.redo')
  if (word === 'back') return client.send('rollback.toLastSuccess', {})
  console.log('I know: next, back, redo, quit.')
  return undefined
}
