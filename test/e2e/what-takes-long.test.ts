import { writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { beforeAll, describe, expect, onTestFinished } from 'vitest'
import { connect } from 'weave-client'
import { WebSocket } from 'ws'
import { verifies } from '../conformance/verifies.ts'
import { codon, command, hankFolder } from '../support/hank-folder.ts'
import { steer } from '../support/steering-client.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

/** A command that ends when the test lets it. */
const waits = 'until [ -e ../go ]; do sleep 0.05; done'

describe('a rig that lasts', () => {
  verifies(
    ['repair/activity'],
    'is told while it lasts, with its number and command, to people and to clients that ask',
    async () => {
      const at = await hankFolder([codon('a', { rigSetup: [command('true'), command(waits)] })])
      const run = await at.serve('--headless')
      const asking = await steer(run.dir)
      const plain = connect(`ws://127.0.0.1:${run.port}`, {
        mode: 'readonly',
        extensions: [],
        socket: WebSocket,
        reconnect: false,
      })
      onTestFinished(() => plain.close())
      const heard: string[] = []
      plain.onAny(({ type }) => void heard.push(type))
      await plain.opened
      await run.until(`a: rig 2 of 2: ${waits}`)
      const { data } = await asking.until('run.activity', 0, event => event.data.done === 1)
      expect(data).toEqual({ phase: 'rig', codonId: 'a', text: `rig 2 of 2: ${waits}`, done: 1, total: 2 })
      writeFileSync(at.execution('go'), '')
      await asking.until('run.activity', 0, event => event.data.over === true)
      await run.ended
      expect(heard).toContain('codon.completed')
      expect(heard).not.toContain('run.activity')
      expect(at.events('run.activity')).toEqual([])
    },
    60_000,
  )
})

describe('a provider that takes its time', () => {
  verifies(
    ['repair/plan-before-asking'],
    'is named while it is asked, and the plan is there before',
    async () => {
      const held: ServerResponse[] = []
      const server = createServer((request, response) => {
        request.resume()
        held.push(response)
      })
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => {
        server.closeAllConnections()
        server.close()
      })
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      const at = (await hankFolder([codon('a')])).with({
        ANTHROPIC_API_KEY: 'a-key-of-nobody',
        ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      })
      const validate = at.start('validate')
      await validate.until('Asking anthropic … 2 s')
      await validate.until('Asking anthropic … 4 s')
      expect(validate.said()).toContain('Worst case')
      expect(validate.said()).not.toContain('Validation failed')
      for (const response of held) response.writeHead(401, { 'content-type': 'application/json' }).end('{}')
      expect(await validate.ended).toBe(1)
      expect(validate.said()).toContain('Validation failed')
    },
    60_000,
  )
})
