import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { memoryLog } from '../../../../test/support/memory-log.ts'
import { startTestServer } from './test-server.ts'

verifies(
  ['gates/agent-may-watch'],
  'an agent that asks to steer may only watch, also with what it says in one breath with the handshake',
  async () => {
    const log = memoryLog()
    const { stranger, control } = await startTestServer({ isOfAgent: async () => true, log })
    const client = await stranger()
    client.send({ type: 'handshake', data: { mode: 'readandwrite', extensions: ['weave'] } })
    client.command('gate.decide', { seq: 1, decision: 'approve' }, 'at-once')
    client.command('codon.next', {}, 'and-this')
    expect((await client.next('handshake.response')).data).toMatchObject({ mode: 'readonly' })
    for (const id of ['at-once', 'and-this'])
      expect((await client.next(({ commandId }) => commandId === id)).data).toMatchObject({
        code: 'INSUFFICIENT_PERMISSIONS',
      })
    expect(control.submitted).toEqual([])
    expect(log.entries.map(({ message }) => message).join()).toContain('may only watch')
  },
)

verifies(
  ['gates/agent-may-watch', 'gates/commands'],
  'anybody else steers as ever, and what they send at once is taken in order, with who they are',
  async () => {
    const { stranger, control } = await startTestServer({ isOfAgent: async () => false, user: 'ana' })
    const client = await stranger()
    client.send({ type: 'handshake', data: { mode: 'readandwrite', extensions: ['weave', 'weave-cli'] } })
    client.command('gate.hold', {}, 'one')
    client.command('codon.skip', {}, 'two')
    expect((await client.next('handshake.response')).data).toMatchObject({ mode: 'readandwrite' })
    client.command('ping', {}, 'last')
    await client.next('pong')
    expect(control.submitted.map(({ id }) => id)).toEqual(['one', 'two'])
    expect(control.senders[0]).toMatchObject({ via: 'cli', user: 'ana' })
  },
)
