import { expect, test } from 'vitest'
import type { ModelServer } from '../../src/model-server/index.ts'
import { post, served } from './served.ts'

const tools = [{ name: 'Read', input_schema: { properties: { file_path: {} } } }]
const reads = () =>
  ({ kind: 'message', parts: [{ kind: 'use', use: 'read', input: { path: 'a.md' } }] }) as const

test('paths begin where the request says, even when only an earlier one with its key said so', async () => {
  const server = await served(reads)
  expect(await asked(server, { tools, system: 'Working directory: /first' })).toEqual(call('/first/a.md'))
  expect(await asked(server, { tools })).toEqual(call('/first/a.md'))
  expect(await asked(server, { tools }, 'other')).toMatchObject({ error: { type: 'invalid_request_error' } })
})

test('paths begin where the owner of the key works when no request says', async () => {
  const server = await served(reads, { cwdOf: key => (key === 'a' ? '/of-a' : undefined) })
  expect(await asked(server, { tools }, 'a')).toEqual(call('/of-a/a.md'))
  expect(await asked(server, { tools, system: 'Working directory: /said' }, 'a')).toEqual(call('/said/a.md'))
})

test('a tool that is not offered is an error that names it', async () => {
  const server = await served(reads)
  expect(await asked(server, { tools: [{ name: 'Glob' }] })).toMatchObject({
    error: { message: 'The script uses "read", and the request offers no such tool.' },
  })
})

async function asked(server: ModelServer, body: unknown, key = 'k'): Promise<unknown> {
  const answer: unknown = await (await post(`${server.url}/v1/messages`, body, { 'x-api-key': key })).json()
  return answer
}

function call(path: string): unknown {
  const block = { type: 'tool_use', id: expect.any(String), name: 'Read', input: { file_path: path } }
  return expect.objectContaining({ content: [block], stop_reason: 'tool_use' })
}
