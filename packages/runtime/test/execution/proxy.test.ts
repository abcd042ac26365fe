import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { emptyState } from '@weave/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createScriptedHarness, type ScriptStep } from '../../../../test/support/scripted-harness.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createExecutionProxy, type ExecutionProxy, readRequests } from '../../src/execution/proxy.ts'
import { ensureDir } from '../../src/files/index.ts'
import type { HarnessEnd, HarnessSpec } from '../../src/harness/index.ts'
import { createRedactor, silentLog, systemClock } from '../../src/kit/index.ts'
import { executionLayout } from '../../src/workspace/index.ts'
import { post, rawClient } from '../proxy/raw-client.ts'
import { type Answer, always, plain, rawUpstream } from '../proxy/raw-upstream.ts'

const key = 'a-secret-value-of-length'

async function opened(answer: Answer) {
  const layout = executionLayout(await tempDir())
  await ensureDir(layout.internals)
  const upstream = await rawUpstream(answer)
  const proxy = createExecutionProxy({
    upstream: upstream.url,
    layout,
    clock: systemClock,
    redactor: createRedactor([{ name: 'MY_TOKEN', value: key }]),
    log: silentLog,
    logLevel: 'info',
    environment: {},
    allowOtherUsers: false,
    assertHeld: () => undefined,
    state: () => emptyState,
  })
  onTestFinished(() => proxy.close())
  expect(proxy.url()).toBeUndefined()
  const started = await proxy.start(0)
  if (!started.ok) throw new Error(started.message)
  expect(proxy.url()).toBe(`http://localhost:${started.port}`)
  return { layout, proxy, port: started.port }
}

async function ask(port: number, path = '/v1/messages'): Promise<void> {
  const client = rawClient(port)
  client.send(post(path, '{}'))
  await client.until(text => /\r\n\r\n./s.test(text))
  client.socket.destroy()
}

const spec: HarnessSpec = {
  codonId: 'a',
  model: 'm',
  provider: 'anthropic',
  cwd: '/',
  env: {},
  marker: 'WEAVE_EXECUTION_ID=x',
  home: '/',
  autoCompact: false,
  prompt: 'Do it.',
  onRaw: () => undefined,
  nextPrompt: () => undefined,
}

/** The end of an agent that did something before its script went on. */
async function endOf(
  proxy: ExecutionProxy,
  steps: readonly ScriptStep[],
  first: () => Promise<void>,
): Promise<HarnessEnd> {
  const harness = proxy.informed(createScriptedHarness(() => steps))
  for await (const event of harness.start(spec, new AbortController().signal)) {
    if (event.type === 'session') await first()
    if (event.type === 'ended') return event.end
  }
  throw new Error('It never ended.')
}

const failing: readonly ScriptStep[] = [{ fail: 'slow down', retriable: true, type: 'rate-limit' }]
const limited = (wait: string) =>
  `HTTP/1.1 429 Too Many Requests\r\nRetry-After: ${wait}\r\nContent-Length: 2\r\n\r\nno`

describe('what a provider asks to wait', () => {
  it('is told with the failed end of an agent, however long it is', async () => {
    const { proxy, port } = await opened(always(limited('3600')))
    const end = await endOf(proxy, failing, () => ask(port))
    expect(end).toMatchObject({ ok: false, retryAfterMs: expect.any(Number) })
    if (end.ok) throw new Error('It went well.')
    expect(end.retryAfterMs).toBeGreaterThan(3_590_000)
    expect(end.retryAfterMs).toBeLessThanOrEqual(3_600_000)
  })

  it('is told by nobody after an answer that asks for nothing, nor in the next attempt, nor to what cannot be tried again', async () => {
    let count = 0
    const { proxy, port } = await opened((text, socket) =>
      always(++count === 1 || count > 2 ? limited('3600') : plain('ok'))(text, socket),
    )
    const answered = await endOf(proxy, failing, async () => {
      await ask(port)
      await ask(port)
    })
    expect(answered).not.toHaveProperty('retryAfterMs')
    const final = await endOf(proxy, [{ fail: 'no key', retriable: false }], () => ask(port))
    expect(final).not.toHaveProperty('retryAfterMs')
    expect(await endOf(proxy, failing, async () => undefined)).not.toHaveProperty('retryAfterMs')
    const longer = await endOf(proxy, [{ fail: 'x', retriable: true, retryAfterMs: 9e9 }], () => ask(port))
    expect(longer).toMatchObject({ retryAfterMs: 9e9 })
  })
})

describe('the requests of an execution', () => {
  it('are kept without secrets, readable by their owner only, and read back past damage', async () => {
    const { layout, proxy, port } = await opened(always(plain('ok')))
    await ask(port, `/v1/${key}?token=abc`)
    await ask(port, '/v1/two')
    await proxy.close()
    const path = join(layout.internals, 'requests.jsonl')
    expect(readFileSync(path, 'utf8')).not.toContain(key)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await appendFile(path, '{"time":"torn\nnull\n{"time":"x"}\n')
    const requests = await readRequests(layout)
    expect(requests.map(({ url }) => url)).toEqual(['/v1/[redacted:MY_TOKEN]?token=[masked]', '/v1/two'])
    expect(requests[0]).toMatchObject({ method: 'POST', status: 200, ending: 'complete', responseBytes: 2 })
  })

  it('are none where there was no proxy', async () => {
    const layout = executionLayout(await tempDir())
    expect(await readRequests(layout)).toEqual([])
    await ensureDir(layout.internals)
    writeFileSync(join(layout.internals, 'requests.jsonl'), '')
    expect(await readRequests(layout)).toEqual([])
  })
})
