import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { runCli } from '../support/run-cli.ts'
import { startCommand } from '../support/running-command.ts'
import { scriptedWeave } from '../support/scripted-program.ts'
import { tempDir } from '../support/temp-dir.ts'

/** A model that answers when it is let. */
async function slowModel() {
  const waiting: ServerResponse[] = []
  const server = createServer((request, response) => {
    request.resume()
    waiting.push(response)
    server.emit('asked')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async asked(count: number): Promise<void> {
      while (waiting.length < count) await once(server, 'asked')
    },
    answer(): void {
      const body = {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [{ type: 'text', text: 'ok' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 1, output_tokens: 1 },
      }
      for (const response of waiting.splice(0)) {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(body))
      }
    },
  }
}

verifies(
  ['d14/wait-for-all-health-checks', '2.8/sentinel-wait-blocks'],
  'with waitForAllHealthChecks nothing of the hank starts, rigs included, until every check is over',
  async () => {
    const dir = await tempDir()
    const model = await slowModel()
    const sentinel = (id: string, name: string) => ({
      sentinelConfig: {
        id,
        name: id,
        model: name,
        trigger: { type: 'event', on: ['server.idle'] },
        execution: { strategy: 'immediate' },
        userPromptText: 'What?',
      },
    })
    const codon = (id: string, more: object) => ({
      id,
      name: id,
      model: 'sonnet',
      continuationMode: 'fresh',
      promptText: 'Work.',
      ...more,
    })
    // The rig belongs to a codon without a sentinel; the models are those of another codon.
    const hank = [
      codon('first', { rigSetup: [{ type: 'command', command: { run: `touch ${join(dir, 'rig-ran')}` } }] }),
      codon('later', { sentinels: [sentinel('a', 'haiku'), sentinel('b', 'opus')] }),
    ]
    writeFileSync(join(dir, 'hank.json'), JSON.stringify({ $schema: 'x', hank }))
    writeFileSync(join(dir, 'weave.json'), JSON.stringify({ sentinel: { waitForAllHealthChecks: true } }))
    const env = { HOME: join(dir, 'home'), ANTHROPIC_BASE_URL: model.url }
    const run = startCommand(await scriptedWeave(), ['--headless'], { cwd: dir, env })
    await model.asked(2)
    const started = () =>
      runCli(['journal', '--json', '--type', 'state.transition'], { cwd: dir, env }).stdout.includes(
        'CodonStarted',
      )
    // Asking takes a command of its own: long enough for a codon to begin that does not wait.
    expect([started(), existsSync(join(dir, 'rig-ran'))]).toEqual([false, false])
    model.answer()
    expect(await run.ended).toBe(0)
    expect([started(), existsSync(join(dir, 'rig-ran'))]).toEqual([true, true])
  },
  60_000,
)
