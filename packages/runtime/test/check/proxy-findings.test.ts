import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { type ProxyToCheck, proxyFindings } from '../../src/check/doctor.ts'
import { tryPort } from '../../src/proxy/index.ts'

const base: ProxyToCheck = {
  isOn: true,
  upstream: 'https://api.example.com',
  controlPort: 0,
  environment: {},
}

const findings = async (name: string, more: Partial<ProxyToCheck> = {}) =>
  (await proxyFindings({ ...base, ...more })).filter(finding => finding.name === name)

/** A port that another program has. */
async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as { readonly port: number }).port
}

/** Whose next one was free a moment ago. */
async function portBeforeFreeOne(): Promise<number> {
  for (;;) {
    const port = await takenPort()
    const next = await tryPort(port + 1)
    if (next.ok && next.port === port + 1) return port
  }
}

describe('the port of the proxy', () => {
  test('is the one after that of the server, and nothing stays open on it', async () => {
    const port = await portBeforeFreeOne()
    const looked = await findings('proxy port', { controlPort: port })
    expect(looked).toEqual([
      { name: 'proxy port', verdict: 'good', detail: `${port + 1} is free on 127.0.0.1` },
    ])
    expect(await findings('proxy port', { controlPort: port })).toEqual(looked)
  })

  test('is another one when that is taken', async () => {
    const port = await takenPort()
    expect(await findings('proxy port', { controlPort: port - 1 })).toEqual([
      {
        name: 'proxy port',
        verdict: 'poor',
        detail: `${port} cannot be had`,
        cure: expect.stringContaining('taken instead'),
      },
    ])
  })

  test('is whichever is free when that of the server is', async () => {
    expect(await findings('proxy port')).toEqual([
      { name: 'proxy port', verdict: 'good', detail: 'a free one can be had on 127.0.0.1' },
    ])
  })
})

describe('the outbound proxy', () => {
  test.each([
    [{}, 'none, straight to api.example.com'],
    [{ HTTPS_PROXY: 'http://me:secret@out.example:3128' }, 'out.example:3128 (HTTPS_PROXY)'],
    [{ all_proxy: 'out.example', NO_PROXY: '.example.com' }, 'all_proxy is set but not for api.example.com'],
  ])('with %o is good: %s', async (environment, detail) => {
    expect(await findings('outbound proxy', { environment })).toEqual([
      { name: 'outbound proxy', verdict: 'good', detail },
    ])
  })

  test.each(['socks5://out.example', 'http://', 'http://50%:x@out.example'])(
    '%s stops a run only when our proxy is on',
    async https_proxy => {
      const expected = {
        name: 'outbound proxy',
        detail: 'https_proxy is not the address of an http or https proxy',
        cure: 'Correct it, or add api.example.com to NO_PROXY.',
      }
      const environment = { https_proxy }
      expect(await findings('outbound proxy', { environment })).toEqual([{ ...expected, verdict: 'bad' }])
      expect(await findings('outbound proxy', { environment, isOn: false })).toEqual([
        { ...expected, verdict: 'poor' },
      ])
    },
  )

  test('of an upstream that is no address is not looked for', async () => {
    expect(await findings('outbound proxy', { upstream: 'ftp://x' })).toEqual([
      {
        name: 'outbound proxy',
        verdict: 'bad',
        detail: 'ftp://x is not an http or https address',
        cure: 'Correct vendorBaseUrl.',
      },
    ])
  })
})

test('certificates are looked at where the environment names some', async () => {
  expect(await findings('certificates')).toEqual([])
  const dir = await tempDir()
  const good = join(dir, 'good.pem')
  const empty = join(dir, 'empty.pem')
  writeFileSync(good, rootCertificates[0] ?? '')
  writeFileSync(empty, 'nothing')
  const looked = (NODE_EXTRA_CA_CERTS: string, SSL_CERT_FILE: string) =>
    findings('certificates', { environment: { NODE_EXTRA_CA_CERTS, SSL_CERT_FILE } })
  expect(await looked(good, '')).toEqual([
    { name: 'certificates', verdict: 'good', detail: `${good} can be read (NODE_EXTRA_CA_CERTS)` },
  ])
  expect(await looked(join(dir, 'none.pem'), empty)).toEqual([
    {
      name: 'certificates',
      verdict: 'poor',
      detail: `${join(dir, 'none.pem')}: cannot be read, ENOENT (NODE_EXTRA_CA_CERTS)`,
      cure: expect.stringContaining('Correct NODE_EXTRA_CA_CERTS'),
    },
    {
      name: 'certificates',
      verdict: 'poor',
      detail: `${empty}: holds no certificate (SSL_CERT_FILE)`,
      cure: expect.stringContaining('Correct SSL_CERT_FILE'),
    },
  ])
})
