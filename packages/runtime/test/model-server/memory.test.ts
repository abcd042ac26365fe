import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/kit/index.ts'
import { startModelServer } from '../../src/model-server/index.ts'
import { post, text } from './served.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

test('of the prompts that a server has read nothing stays in memory but where each agent works', async () => {
  const server = await startModelServer({ clock: systemClock, respond: () => text('ok') })
  onTestFinished(() => server.close())
  const ask = async (key: string): Promise<void> => {
    const system = `${key} ${'word '.repeat(100_000)}\nCurrent working directory: /a/rather/long/path/of/${key}\n`
    const body = { model: 'm', max_tokens: 9, system, messages: [{ role: 'user', content: 'Hi.' }] }
    const answer = await post(`${server.url}/v1/messages`, body, { 'x-api-key': key })
    expect(answer.status).toBe(200)
    await answer.text()
  }
  const used = async (): Promise<number> => {
    await new Promise(setImmediate)
    collect()
    return process.memoryUsage().heapUsed
  }
  for (let turn = 0; turn < 5; turn++) await ask(`first-${turn}`)
  const before = await used()
  for (let turn = 0; turn < 60; turn++) await ask(`agent-${turn}`)
  expect((await used()) - before).toBeLessThan(10_000_000)
})
