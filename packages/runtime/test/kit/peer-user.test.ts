import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { rawUpgrade } from '../../../../test/support/raw-websocket.ts'
import { isLoopback, listedSocket, readConnectionTable } from '../../src/kit/peer-user.ts'
import { startTestServer } from '../server/test-server.ts'

const head =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                                                     '
const four = `${head}
   0: 0100007F:1E61 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 5150 1 0000000000000000 100 0 0 10 0
   1: 0100007F:C350 0100007F:1E61 01 00000000:00000000 00:00000000 00000000  1001        0 5151 1 0000000000000000 20 4 30 10 -1
   2: 0100007F:1E61 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 5152 1 0000000000000000 20 4 30 10 -1
`
const six = `${head}
   0: 00000000000000000000000001000000:D431 00000000000000000000000001000000:1E61 01 00000000:00000000 00:00000000 00000000   500        0 5153 1 0000000000000000 20 4 30 10 -1
   1: 0000000000000000FFFF00000100007F:E001 0000000000000000FFFF00000100007F:1E61 01 00000000:00000000 00:00000000 00000000 65534        0 5154 1 0000000000000000 20 4 30 10 -1
`
const at = (address: string, port: number) => ({ address, port })

describe('the owner of the other end', () => {
  test.each([
    ['127.0.0.1', 0xc350, '127.0.0.1', 1001],
    ['::1', 0xd431, '::1', 500],
    ['127.0.0.1', 0xe001, '127.0.0.1', 65_534],
    ['::ffff:127.0.0.1', 0xe001, '::ffff:127.0.0.1', 65_534],
    ['127.0.0.1', 0xc351, '127.0.0.1', undefined],
    ['::1', 0xc350, '::1', undefined],
  ])('%s port %d is read from the table of the system', (address, port, local, uid) => {
    const listed = listedSocket(readConnectionTable(four, six), at(address, port), at(local, 0x1e61))
    expect(listed).toEqual(
      uid === undefined ? undefined : { user: uid, inode: expect.any(String), isHeld: true },
    )
  })

  test.each([
    ['FIN_WAIT2, closed by its program', '05', '0', '0'],
    ['TIME_WAIT', '06', '0', '0'],
    ['FIN_WAIT2, closed for writing', '05', '1001', '5151'],
    ['ESTABLISHED without a program', '01', '0', '0'],
    ['CLOSE_WAIT', '08', '1001', '5151'],
  ])('a socket in %s is held by nobody', (_, state, uid, inode) => {
    const row = `   1: 0100007F:C350 0100007F:1E61 ${state} 00000000:00000000 03:00001234 00000000  ${uid}        0 ${inode} 3 0\n`
    const listed = listedSocket(
      readConnectionTable(`${head}\n${row}`),
      at('127.0.0.1', 0xc350),
      at('127.0.0.1', 0x1e61),
    )
    expect(listed).toEqual({ user: Number(uid), inode, isHeld: false })
  })

  test('a table that is cut off, anywhere in the row, or empty says nothing', () => {
    const row = four.indexOf('   1: ')
    // A user 1001 that is cut after its first digit would be another user.
    for (let end = row; end < four.indexOf('\n', row); end++)
      expect(
        listedSocket(
          readConnectionTable(four.slice(0, end)),
          at('127.0.0.1', 0xc350),
          at('127.0.0.1', 0x1e61),
        ),
      ).toBeUndefined()
    for (const text of ['', 'nonsense'])
      expect(
        listedSocket(readConnectionTable(text), at('127.0.0.1', 0xc350), at('127.0.0.1', 0x1e61)),
      ).toBeUndefined()
  })

  test('loopback has many addresses', () => {
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
      expect(isLoopback(address)).toBe(true)
    for (const address of ['10.0.0.1', '::2', 'fe80::1', '::ffff:10.0.0.1', '128.0.0.1'])
      expect(isLoopback(address)).toBe(false)
  })
})

/** Connects as another user; resolves with the first line of the answer. Only root may do that. */
async function upgradeAs(uid: number, port: number): Promise<string> {
  const program = `
    const socket = require('node:net').connect(${port}, '127.0.0.1')
    socket.write('GET / HTTP/1.1\\r\\nHost: 127.0.0.1:${port}\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n' +
      'Sec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\\r\\n\\r\\n')
    socket.once('data', data => { console.log(String(data).split('\\r\\n')[0]); process.exit() })`
  const child = spawn(process.execPath, ['-e', program], {
    uid,
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: '/',
  })
  const [answer] = await Promise.all([text(child.stdout), once(child, 'close')])
  return answer.trim()
}

const canChange = process.platform === 'linux' && process.getuid?.() === 0

test.runIf(canChange)('another user of the machine is refused, unless all are allowed', async () => {
  const { port } = await startTestServer()
  expect(await upgradeAs(65_534, port)).toBe('HTTP/1.1 403 Forbidden')
  expect(await upgradeAs(0, port)).toBe('HTTP/1.1 101 Switching Protocols')
  const open = await startTestServer({ allowOtherUsers: true })
  expect(await upgradeAs(65_534, open.port)).toBe('HTTP/1.1 101 Switching Protocols')
})

test('we ourselves are let in, many at a time', async () => {
  const { port } = await startTestServer()
  const answers = await Promise.all(Array.from({ length: 50 }, () => rawUpgrade({ port })))
  expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([101]))
  for (const { websocket } of answers) websocket?.socket.destroy()
})
