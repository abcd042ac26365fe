import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder, rig, sentinel } from '../support/hank-folder.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { tempDir } from '../support/temp-dir.ts'

/** A model that answers when it is let. */
async function slowModel() {
  const waiting: ServerResponse[] = []
  const server = createServer((request, response) => {
    request.resume()
    waiting.push(response)
    server.emit('asked')
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
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
    const ran = join(await tempDir(), 'rig-ran')
    const model = await slowModel()
    const observer = (id: string, name: string) => ({
      sentinelConfig: sentinel(id, 'server.idle', { model: name }),
    })
    // The rig belongs to a codon without a sentinel; the models are those of another codon.
    const hank = [
      codon('first', rig(`touch ${ran}`)),
      codon('later', { sentinels: [observer('a', 'haiku'), observer('b', 'opus')] }),
    ]
    const folder = await hankFolder(hank, { 'weave.json': { sentinel: { waitForAllHealthChecks: true } } })
    const at = folder.with({ ANTHROPIC_BASE_URL: model.url })
    const run = await at.startScripted('--headless')
    await model.asked(2)
    const started = () =>
      at.weave('journal', '--json', '--type', 'state.transition').stdout.includes('CodonStarted')
    // Asking takes a command of its own: long enough for a codon to begin that does not wait.
    expect([started(), existsSync(ran)]).toEqual([false, false])
    model.answer()
    expect(await run.ended).toBe(0)
    expect([started(), existsSync(ran)]).toEqual([true, true])
  },
  60_000,
)
