import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { rawUpgrade } from '../../../../test/support/raw-websocket.ts'
import { createOriginCheck } from '../../src/kit/index.ts'
import { startTestServer } from '../server/test-server.ts'

type Header = readonly [name: string, value: string]
const port = 7777
const originCheck = createOriginCheck({ port })
const valuesIn =
  (headers: readonly Header[]) =>
  (wanted: string): readonly string[] =>
    headers.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : []))
const passes = (...headers: readonly Header[]): boolean => originCheck(valuesIn(headers)) === undefined
const ours: Header = ['Host', `localhost:${port}`]

describe('host', () => {
  const good = ['localhost:7777', '127.0.0.1:7777', '[::1]:7777']
  const bad = [
    'localhost',
    'localhost:7778',
    'localhost:77777',
    'localhost:7777.',
    'localhost.:7777',
    'LOCALHOST:7777',
    'evil.example:7777',
    'localhost.evil.example:7777',
    'evil.example',
    '127.0.0.1',
    '127.0.0.2:7777',
    '127.1:7777',
    '0.0.0.0:7777',
    '2130706433:7777',
    '::1:7777',
    '[::1]',
    '[::]:7777',
    '[::ffff:127.0.0.1]:7777',
    '[0:0:0:0:0:0:0:1]:7777',
    'user@localhost:7777',
    'localhost:7777@evil.example',
    'localhost:7777, evil.example',
    'http://localhost:7777',
    'localhost:07777',
    '',
    ' ',
    '[::bad',
    'http://[::bad',
    'locаlhost:7777',
  ]

  test.each(good)('%s passes', host => expect(passes(['Host', host])).toBe(true))
  test.each(bad)('%j is refused', host => expect(passes(['Host', host])).toBe(false))
  test('none is refused', () => expect(passes()).toBe(false))
  test.each([
    [ours, ours],
    [ours, ['host', 'evil.example']],
    [['HOST', 'evil.example'], ours],
  ] as const)('two are refused, even if they are equal', (first, second) =>
    expect(passes(first, second)).toBe(false),
  )

  test('without a port only on port 80, where clients leave it out', () => {
    const onEighty = createOriginCheck({ port: 80 })
    expect(onEighty(valuesIn([['Host', 'localhost']]))).toBeUndefined()
    expect(onEighty(valuesIn([['Host', 'localhost:80']]))).toBeUndefined()
    expect(onEighty(valuesIn([['Host', 'evil.example']]))).toBe('host')
  })

  test('a host that was asked for is ours too; listening everywhere takes any address but no name', () => {
    const beyond = createOriginCheck({ port, host: '192.168.1.5' })
    expect(beyond(valuesIn([['Host', '192.168.1.5:7777']]))).toBeUndefined()
    expect(beyond(valuesIn([['Host', '192.168.1.6:7777']]))).toBe('host')
    for (const host of ['0.0.0.0', '::']) {
      const everywhere = createOriginCheck({ port, host })
      for (const good of ['10.0.0.1:7777', '[fe80::1]:7777', 'localhost:7777'])
        expect(everywhere(valuesIn([['Host', good]]))).toBeUndefined()
      for (const bad of [
        'evil.example:7777',
        '10.0.0.1:80',
        '10.0.0.1',
        'fe80::1:7777',
        '[fe80::1',
        '[]:7777',
      ])
        expect(everywhere(valuesIn([['Host', bad]]))).toBe('host')
    }
  })
})

describe('origin', () => {
  const own = `http://${ours[1]}`
  test('none, or exactly our own, passes', () => {
    expect(passes(ours)).toBe(true)
    expect(passes(ours, ['Origin', own])).toBe(true)
    expect(passes(['Host', '[::1]:7777'], ['origin', 'http://[::1]:7777'])).toBe(true)
  })
  test.each([
    'null',
    '',
    'http://evil.example',
    'https://localhost:7777',
    'http://localhost',
    'http://localhost:7778',
    'http://127.0.0.1:7777',
    'http://localhost:7777/',
    'http://localhost:7777.evil.example',
    'HTTP://localhost:7777',
    'ws://localhost:7777',
    'file://',
    'http://[::bad',
    'chrome-extension://abcdef',
  ])('%j is refused', origin => {
    expect(passes(ours, ['Origin', origin])).toBe(false)
    expect(passes(ours, ['Sec-WebSocket-Origin', origin])).toBe(false)
  })
  test('two are refused, even if they are equal', () => {
    expect(passes(ours, ['Origin', own], ['origin', own])).toBe(false)
    expect(passes(ours, ['Origin', own], ['Origin', 'http://evil.example'])).toBe(false)
    expect(passes(ours, ['Origin', own], ['Sec-WebSocket-Origin', 'http://evil.example'])).toBe(false)
  })
})

describe('sec-fetch-site', () => {
  test.each(['none', 'same-origin'])('%s passes', site =>
    expect(passes(ours, ['Sec-Fetch-Site', site])).toBe(true),
  )
  test.each(['cross-site', 'same-site', '', 'None', 'same-origin, none', 'x'])('%j is refused', site =>
    expect(passes(ours, ['sec-fetch-site', site])).toBe(false),
  )
  test('two are refused', () =>
    expect(passes(ours, ['Sec-Fetch-Site', 'none'], ['Sec-Fetch-Site', 'none'])).toBe(false))
})

test('whatever the headers are, it neither throws nor lets a foreign host in', () => {
  const name = fc.constantFrom('host', 'Host', 'origin', 'Sec-Fetch-Site', 'x-other')
  const value = fc.oneof(fc.string(), fc.constantFrom(ours[1], `http://${ours[1]}`, 'none', 'http://[::bad'))
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 6 }), headers => {
      const hosts = headers.filter(([each]) => each.toLowerCase() === 'host')
      const mayPass = hosts.length === 1 && hosts[0]?.[1] === ours[1]
      expect(passes(...headers) && !mayPass).toBe(false)
    }),
    { numRuns: 500 },
  )
})

verifies(
  ['d12/host-header', 'd12/origin-header'],
  'a request of a page elsewhere gets 403 and nothing else, with or without an upgrade',
  async () => {
    const { port: real, server } = await startTestServer()
    const foreign: readonly (readonly Header[])[] = [
      [['Host', 'evil.example']],
      [
        ['Host', `localhost:${real}`],
        ['Origin', 'http://evil.example'],
      ],
      [
        ['Host', `localhost:${real}`],
        ['Origin', 'http://[::bad'],
      ],
      [
        ['Host', `localhost:${real}`],
        ['Origin', 'null'],
      ],
      [
        ['Host', `localhost:${real}`],
        ['Host', `localhost:${real}`],
      ],
      [
        ['Host', `localhost:${real}`],
        ['Sec-Fetch-Site', 'cross-site'],
      ],
      [['Host', 'http://[::bad']],
    ]
    for (const headers of foreign) {
      for (const bare of [true, false]) {
        const answer = await rawUpgrade({ port: real, headers, bare })
        expect(answer.status).toBe(403)
        expect(answer.websocket ? '' : answer.body).toBe('')
        expect(answer.head.split('\r\n').length).toBeLessThanOrEqual(4)
      }
    }
    const missing = await rawUpgrade({ port: real, bare: true })
    expect(missing.status).toBe(403)
    const expecting = await rawUpgrade({
      port: real,
      bare: true,
      headers: [
        ['Host', 'evil.example'],
        ['Expect', '100-continue'],
      ],
    })
    expect(expecting.status).toBe(403)
    for (const host of [`localhost:${real}`, `127.0.0.1:${real}`, `[::1]:${real}`]) {
      const answer = await rawUpgrade({
        port: real,
        headers: [
          ['Host', host],
          ['Origin', `http://${host}`],
          ['Sec-Fetch-Site', 'same-origin'],
        ],
      })
      expect(answer.status).toBe(101)
      answer.websocket?.socket.destroy()
    }
    expect(server.clients()).toBe(0)
  },
)
