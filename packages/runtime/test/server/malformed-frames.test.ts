import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tally } from '../../../../test/support/proof.ts'
import { clientFrame, closeFrame, type FrameOptions, opcode } from '../../../../test/support/raw-websocket.ts'
import { startTestServer, type TestClient } from './test-server.ts'

interface Case {
  readonly what: string
  readonly bytes: Buffer
  readonly code: number
}

const malformed = (what: string, bytes: Buffer, code = 1002): Case => ({ what, bytes, code })
const kinds = ['text', 'binary', 'close', 'ping', 'pong'] as const
const controls = ['close', 'ping', 'pong'] as const
const start = clientFrame('{"id":', { fin: false })
const more = (payload: Buffer | string, options: FrameOptions = {}): Buffer =>
  clientFrame(payload, { opcode: opcode.continuation, ...options })

/** Sequences of bytes that are no UTF-8: lone, overlong, surrogates, beyond the last character, cut off. */
const noText = [
  '80',
  'bf',
  'c0',
  'c080',
  'c1bf',
  'c2',
  'c220',
  'e0',
  'e080',
  'e08080',
  'e09fbf',
  'e282',
  'eda080',
  'edbfbf',
  'f0',
  'f0808080',
  'f08fbfbf',
  'f09f98',
  'f4908080',
  'f5808080',
  'f8888080',
  'fc84808080',
  'fe',
  'ff',
  '68656cff6c6f',
].map(hex => Buffer.from(hex, 'hex'))

const cases: readonly Case[] = [
  ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].flatMap(code => [
    malformed(`opcode ${code}`, clientFrame('x', { opcode: code })),
    malformed(`opcode ${code}, not final`, clientFrame('x', { opcode: code, fin: false })),
  ]),
  ...kinds.flatMap(kind =>
    [1, 2, 3, 4, 5, 6, 7].map(rsv =>
      malformed(`${kind} with reserved bits ${rsv}`, clientFrame('', { opcode: opcode[kind], rsv })),
    ),
  ),
  ...kinds.map(kind =>
    malformed(`${kind} without a mask`, clientFrame('', { opcode: opcode[kind], masked: false })),
  ),
  malformed('a continuation of nothing', more('x')),
  malformed('a last continuation of nothing', more('', { fin: true })),
  malformed('a continuation of nothing, not final', more('x', { fin: false })),
  malformed('a continuation without a mask', Buffer.concat([start, more('x', { masked: false })])),
  malformed('a continuation with reserved bits', Buffer.concat([start, more('x', { rsv: 4 })])),
  malformed('text inside a message', Buffer.concat([start, clientFrame('"x"}')])),
  malformed('binary inside a message', Buffer.concat([start, clientFrame('x', { opcode: opcode.binary })])),
  ...controls.flatMap(kind => [
    malformed(`${kind} in parts`, clientFrame('', { opcode: opcode[kind], fin: false })),
    malformed(`${kind} of 126 bytes`, clientFrame(Buffer.alloc(126), { opcode: opcode[kind] })),
    malformed(`${kind} of 65,536 bytes`, clientFrame(Buffer.alloc(65_536), { opcode: opcode[kind] })),
    malformed(`${kind} that claims 2^52 bytes`, clientFrame('', { opcode: opcode[kind], length: 2 ** 52 })),
  ]),
  malformed('close with one byte', clientFrame('x', { opcode: opcode.close })),
  ...[0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 1999, 2000, 2999, 5000, 10_000, 65_535].map(code =>
    malformed(`close with the code ${code}`, closeFrame(code)),
  ),
  malformed(
    'close with a reason that is no UTF-8',
    clientFrame(Buffer.from([0x03, 0xe8, 0xff, 0xfe]), { opcode: opcode.close }),
    1007,
  ),
  ...noText.map(bytes => malformed(`text of the bytes ${bytes.toString('hex')}`, clientFrame(bytes), 1007)),
  malformed(
    'a character cut by the end of a message in parts',
    Buffer.concat([clientFrame(Buffer.from([0xf0, 0x9f]), { fin: false }), more(Buffer.from([0x98]))]),
    1007,
  ),
  ...[1_048_577, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 62].map(length =>
    malformed(`text that claims ${length} bytes`, clientFrame('', { length, lengthBytes: 8 }), 1009),
  ),
  malformed(
    'a message of too many parts',
    Buffer.concat([start, ...Array<Buffer>(300).fill(more('', { fin: false }))]),
    1008,
  ),
]

verifies(
  ['safety/I16'],
  'more than 120 kinds of malformed frames get the right code, before and after the handshake',
  async () => {
    expect(cases.length).toBeGreaterThanOrEqual(120)
    tally('malformed frames', 2 * cases.length)
    const { client, server, stranger } = await startTestServer()
    const healthy = await client()
    const meet = async ({ what, bytes, code }: Case, open: () => Promise<TestClient>): Promise<void> => {
      const one = await open()
      one.raw.write(bytes)
      expect([what, (await one.ended).code]).toEqual([what, code])
      one.raw.socket.destroy()
    }
    for (let from = 0; from < cases.length; from += 20) {
      const some = cases.slice(from, from + 20)
      await Promise.all(some.map((each, at) => meet(each, at % 2 === 0 ? stranger : client)))
      await Promise.all(some.map((each, at) => meet(each, at % 2 === 0 ? client : stranger)))
    }
    healthy.command('ping')
    await healthy.next('pong')
    while (server.clients() > 1) await new Promise(resolve => setImmediate(resolve))
  },
)
