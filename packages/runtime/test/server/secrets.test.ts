import type { CommandType } from '@weave/protocol'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { clientFrame } from '../../../../test/support/raw-websocket.ts'
import { createRedactor } from '../../src/kit/index.ts'
import { readyData, startTestServer } from './test-server.ts'

const known = 'correct-horse-battery-staple'
const shaped = `sk-ant-${'a1B2'.repeat(8)}`
const redactor = createRedactor([{ name: 'MY_API_KEY', value: known }])

/** Each holds a secret in one of the places that an answer repeats. */
const frames: Readonly<Record<string, (secret: string) => object>> = {
  'an unknown type': secret => ({ id: 'c1', type: secret }),
  'a type that is cut': secret => ({ id: 'c2', type: `${'x'.repeat(40)} ${secret}` }),
  'an unknown key': secret => ({ id: 'c3', type: 'codon.start', data: { codonId: 'a', [secret]: 1 } }),
  'a key that is cut': secret => ({ id: 'c4', type: 'ping', data: { [`${'x'.repeat(980)} ${secret}`]: 1 } }),
  'an unknown id': secret => ({ id: 'c5', type: 'codon.start', data: { codonId: secret } }),
  'the id of a refused command': secret => ({ id: secret, type: 'codon.next' }),
  'the id of an answered command': secret => ({ id: `ping ${secret}`, type: 'ping' }),
  'the id of a history': secret => ({ id: `history ${secret}`, type: 'history.sync' }),
  'a second handshake': secret => ({ id: secret, type: 'handshake', data: { mode: secret } }),
}

for (const [name, secret] of Object.entries({ MY_API_KEY: known, 'anthropic-key': shaped }))
  verifies(
    ['d12/secret-socket'],
    `an answer never repeats the secret ${name} that its command brought along`,
    async () => {
      const { client, control, stranger } = await startTestServer({ redactor })
      control.answer = command => ({
        ok: false,
        code: 'INVALID_COMMAND',
        message: `There is no codon ${JSON.stringify(codonOf(command))}.`,
      })
      for (const [place, frame] of Object.entries(frames))
        for (const one of [await client(), await stranger()]) {
          const before = one.messages().length
          one.raw.write(clientFrame(JSON.stringify(frame(secret))))
          one.command('no.such.command', undefined, 'the end')
          await one.next(message => message.commandId === 'the end')
          const heard = one.messages().slice(before, -1)
          expect(heard, place).toHaveLength(1)
          expect(JSON.stringify(heard), place).not.toContain(secret.slice(0, 12))
        }
    },
  )

verifies(
  ['d12/secret-socket'],
  'where a secret was, an answer names it, and what is no secret comes back as it was',
  async () => {
    const ready = () => ({ ...readyData, dataPath: `/data/${known}/in` })
    const { client, stranger } = await startTestServer({ redactor, ready })
    const one = await client()
    one.command(known, undefined, `a ${known} b`)
    const { data, commandId } = await one.next('error')
    expect(data['message']).toBe('There is no command "[redacted:MY_API_KEY]".')
    expect(commandId).toBe('a [redacted:MY_API_KEY] b')
    one.command('no.such.command', undefined, 'c-1')
    const clean = await one.next('error')
    expect(clean.data['message']).toBe('There is no command "no.such.command".')
    expect(clean.commandId).toBe('c-1')

    const other = await stranger()
    other.send({ id: known, type: 'handshake', data: { mode: 'readonly' } })
    expect((await other.next('handshake.response')).commandId).toBe('[redacted:MY_API_KEY]')
    expect((await other.next('server.ready')).data['dataPath']).toBe('/data/[redacted:MY_API_KEY]/in')
  },
)

function codonOf({ data }: { readonly type: CommandType; readonly data: object }): unknown {
  return 'codonId' in data ? data.codonId : undefined
}
