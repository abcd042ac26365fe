import { commandTypes } from '@weave/protocol'
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tally } from '../../../../test/support/proof.ts'
import { clientFrame, opcode } from '../../../../test/support/raw-websocket.ts'
import { sized, startTestServer } from './test-server.ts'

const word = fc.oneof(
  fc.constantFrom(...commandTypes, 'handshake', '__proto__', 'constructor', 'toString', ''),
  fc.string(),
)
const badValue = fc.oneof(fc.jsonValue(), fc.constantFrom(null, -1, 1e308, '', [], {}, true))
const almostCommand = fc
  .tuple(word, badValue, fc.dictionary(word, badValue, { maxKeys: 3 }))
  .map(([type, id, data]) => JSON.stringify({ id, type, data, unknown: 1 }))
const cutJson = fc.tuple(almostCommand, fc.nat()).map(([text, cut]) => text.slice(0, cut % text.length))
const deep = fc.nat({ max: 2_000 }).map(depth => '['.repeat(depth) + ']'.repeat(depth))
/** Nothing of this is a command, whatever it looks like. */
const malformed = fc.oneof(
  almostCommand,
  cutJson,
  deep,
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.json(),
  fc.nat({ max: 50_000 }).map(length => `{"id":"${'x'.repeat(length)}","type":"${'y'.repeat(length)}"}`),
)

const codes = [
  'INVALID_JSON',
  'INVALID_COMMAND',
  'UNKNOWN_COMMAND',
  'ALREADY_HANDSHAKEN',
  'HANDSHAKE_REQUIRED',
]

verifies(
  ['safety/I16'],
  'thousands of malformed messages are each answered by one error, and change nothing',
  async () => {
    const limits = { messagesPerSecond: 1e9, unanswered: 1e9, handshakeMs: 1e9 }
    const { client, control, journal, stranger } = await startTestServer({ limits })
    const total = sized(600, 40_000)
    const texts = fc.sample(malformed, total)
    tally('malformed messages', total)
    const share = Math.ceil(total / 6)
    const clients = await Promise.all([
      client(),
      client(),
      client(),
      client({ mode: 'readonly' }),
      stranger(),
      stranger(),
    ])
    await Promise.all(
      clients.map(async (one, at) => {
        const own = texts.slice(at * share, (at + 1) * share)
        for (const [index, text] of own.entries()) {
          const isBinary = index % 50 === 0
          one.raw.write(clientFrame(text, { opcode: isBinary ? opcode.binary : opcode.text }))
          if (index % 100 === 99) await new Promise(resolve => setImmediate(resolve))
        }
        one.command('no.such.command', undefined, 'the end')
        await one.next(message => message.commandId === 'the end')
        const answers = one.messages().filter(message => message.type === 'error')
        expect(answers).toHaveLength(own.length + 1)
        for (const { data } of answers) {
          expect(codes).toContain(data['code'])
          expect(String(data['message']).length).toBeLessThan(1_200)
        }
      }),
    )
    expect(control.submitted).toEqual([])
    expect(control.arrivals).toBe(4)
    expect(journal.lastSeq).toBe(0)
  },
  sized(20_000, 300_000),
)
