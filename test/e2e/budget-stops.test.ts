import { describe, expect, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { verifies } from '../conformance/verifies.ts'
import { bash, codon, hankFolder } from '../support/hank-folder.ts'
import { portOf } from '../support/steering-client.ts'

/** An answer for $0.0125. */
const step = bash('true', { usage: { input: 10_000, output: 5_000 } })
const model = 'pi/openai/gpt-5-mini'

/** $0.1, half of it for a, 30 % for b; a needs little, b all that it can get. */
function place() {
  const budget = { maxDollars: 0.1, allocation: 'proportional', shares: { a: 0.5, b: 0.3 } }
  const done = { say: 'Done.', usage: { input: 0, output: 0 } }
  const script = { codons: { a: [step, done], b: [...Array(9).fill(step), done] } }
  const hank = [codon('a', { model }), codon('b', { model })]
  return hankFolder({ overrides: { budget }, hank }, { 'rehearsal.json': script })
}

/** What a client is given as history that names no extension. */
async function historyOf(
  execution: string,
): Promise<readonly { type: string; data: Record<string, unknown> }[]> {
  const socket = new WebSocket(`ws://127.0.0.1:${portOf(execution)}`)
  onTestFinished(() => socket.close())
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('open', () =>
      socket.send(
        JSON.stringify({ type: 'handshake', data: { mode: 'readonly', sendPreviousEvents: true } }),
      ),
    )
    socket.on('message', (text: Buffer) => {
      const message = JSON.parse(text.toString('utf8'))
      if (message.type === 'handshake.response') resolve(message.data.eventHistory)
    })
  })
}

describe('a budget that is divided', () => {
  verifies(
    ['d14/proportional-leftover', 'd14/proportional-table', 'd14/budget-stop-info', 'd9/proportional-limit'],
    'gives a later child its share and what an earlier one left, as the table says, and its stop is told to every client',
    async () => {
      const at = (await place()).with({ OPENAI_API_KEY: 'none' })
      const { stdout } = at.weave('--validate', '--skip-self-test')
      expect(stdout).toMatch(/Codon 1 \(a\) +\$0\.05 +50 % of the hank/)
      expect(stdout).toMatch(/Codon 2 \(b\) +\$0\.03, at most \$0\.08 +30 % of the hank/)
      const server = at.start('rehearse', '--headless', '--keep-alive')
      await server.until(/codon b completed/)
      const history = await historyOf(at.execution())
      const costs = history.flatMap(({ type, data }) =>
        type === 'codon.completed' ? [[data['codonId'], Math.round(Number(data['cost']) * 1e4) / 1e4]] : [],
      )
      // b has $0.03 and $0.0375 that a left; its sixth call is under way when that is gone.
      expect(costs).toEqual([
        ['a', 0.0125],
        ['b', 0.075],
      ])
      expect(history.some(({ type }) => type === 'budget.exceeded')).toBe(false)
      expect(history.filter(({ type }) => type === 'info').map(({ data }) => data['message'])).toEqual([
        'Budget exceeded: b has used $0.075 of the $0.0675 that the hank leaves for it.',
      ])
      expect(await server.kill('SIGTERM')).toBe(0)
    },
    60_000,
  )
})
