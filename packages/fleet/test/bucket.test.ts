import { randomBytes } from 'node:crypto'
import { describe, expect } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { type S3Fault, type S3Options, s3Server } from '../../../test/support/s3-server.ts'
import type { Database } from '../src/engine/index.ts'
import { bucketOf } from '../src/store/bucket-address.ts'
import { openStore, readKey } from '../src/store/index.ts'

/** A bucket needs no engine. */
const database: Database = {
  query: () => Promise.reject(new Error('nobody asks the engine')),
  transaction: () => Promise.reject(new Error('nobody asks the engine')),
  close: () => Promise.resolve(),
}
const patience = { attempts: 4, firstWaitMs: 1, stallMs: 300 }
const url = 's3://parcels/a/fleet'
const day = 24 * 3_600_000

async function bucket(options: S3Options = {}, more: Readonly<Record<string, string>> = {}) {
  const server = await s3Server(options)
  const environment = { ...server.environment, ...more }
  return { server, store: openStore(url, { database, environment, patience }) }
}

const failing: readonly S3Fault[] = [
  { kind: 'status', status: 500, code: 'InternalError' },
  { kind: 'status', status: 503, code: 'SlowDown' },
  { kind: 'status', status: 429 },
  { kind: 'silence' },
  { kind: 'status', status: 400, code: 'RequestTimeout' },
]

describe('a store in a bucket', () => {
  verifies(
    ['fleet/bucket', 'fleet/store-checked'],
    'keeps objects under their names, signed, and gives back what was put',
    async () => {
      for (const key of [undefined, readKey({ text: 'ab'.repeat(32) })]) {
        for (const keepsHashes of [true, false]) {
          const server = await s3Server({
            keepsHashes,
            region: 'eu-central-1',
            key: { id: 'AKID', secret: 'a/b+c', token: 'temporary==' },
          })
          const store = openStore(url, { database, environment: server.environment, patience, key })
          for (const bytes of [Buffer.alloc(0), Buffer.from('some parcel'), randomBytes(300_000)]) {
            const sha = await store.put(bytes)
            expect(await store.put(bytes)).toBe(sha)
            expect((await store.get(sha)).equals(bytes)).toBe(true)
            expect(server.objects.has(`a/fleet/${sha}`)).toBe(true)
            if (key && bytes.length > 0)
              expect(server.objects.get(`a/fleet/${sha}`)?.bytes.includes(bytes)).toBe(false)
          }
          await expect(store.get('0'.repeat(64))).rejects.toThrow('does not have')
        }
      }
    },
  )

  verifies(['fleet/bucket', 'fleet/store-checked'], 'checks what it put, and what it gets', async () => {
    for (const keepsHashes of [true, false]) {
      const { server, store } = await bucket({ keepsHashes })
      const bytes = Buffer.from('some parcel')
      server.fail('PUT', { kind: 'other-bytes' })
      const sha = await store.put(bytes)
      expect(server.asked.filter(each => each.startsWith('PUT'))).toHaveLength(2)
      expect(server.objects.get(`a/fleet/${sha}`)?.bytes.equals(bytes)).toBe(true)
      server.fail('GET', { kind: 'other-bytes' })
      await expect(store.get(sha)).rejects.toMatchObject({ code: 'FLEET_PARCEL' })
      server.fail('PUT', ...Array.from({ length: 3 }, () => ({ kind: 'other-bytes' }) as const))
      await expect(store.put(bytes)).rejects.toThrow('does not keep what is put there')
    }
  })

  verifies(['fleet/bucket-patience'], 'tries again after what may pass, and not for ever', async () => {
    const { server, store } = await bucket()
    const bytes = randomBytes(200_000)
    for (const fault of failing) {
      server.fail('PUT', fault, fault)
      // An answer without a body says no more than its number.
      if (fault.kind !== 'status' || fault.status !== 400) server.fail('HEAD', fault)
      server.fail('GET', fault, { kind: 'cut' })
      expect((await store.get(await store.put(bytes))).equals(bytes)).toBe(true)
    }
    const before = server.asked.length
    server.fail('GET', ...Array.from({ length: 10 }, () => ({ kind: 'cut' }) as const))
    await expect(store.get(await store.put(bytes))).rejects.toMatchObject({ code: 'FLEET_STORE' })
    expect(server.asked.slice(before).filter(each => each.startsWith('GET'))).toHaveLength(patience.attempts)
    server.fail('PUT', ...Array.from({ length: 10 }, () => ({ kind: 'status', status: 503 }) as const))
    await expect(store.put(bytes)).rejects.toThrow('cannot be written: it answers 503')
  })

  verifies(
    ['fleet/gc'],
    'lists all that is old over any number of pages, by the clock of the server, and removes nothing else',
    async () => {
      const { server, store } = await bucket({ pageSize: 3, skewMs: 60_000 })
      const names: string[] = []
      for (let at = 0; at < 10; at++) names.push(await store.put(Buffer.from(`object ${at}`)))
      server.objects.set('a/fleet/notes.txt', { bytes: Buffer.from('not ours'), at: 0 })
      server.objects.set(`elsewhere/${'0'.repeat(64)}`, { bytes: Buffer.from('not ours'), at: 0 })
      const [young = '', ...old] = names
      for (const sha of old) {
        const kept = server.objects.get(`a/fleet/${sha}`)
        if (kept) kept.at -= day + 60_000
      }
      const found = await store.olderThan(day)
      expect(found.map(({ sha }) => sha).toSorted()).toEqual(old.toSorted())
      expect(found[0]?.bytes).toBe(8)
      const [first = ''] = old
      await store.put(Buffer.from(`object ${names.indexOf(first)}`))
      expect(await store.remove(young, day)).toBe(false)
      expect(await store.remove(first, day)).toBe(false)
      for (const sha of old.slice(1)) expect(await store.remove(sha, day)).toBe(true)
      expect(await store.remove(old[1] ?? '', day)).toBe(false)
      expect(server.objects.size).toBe(4)
    },
  )

  verifies(['fleet/bucket-faults'], 'says what is wrong with its cure, and never a key', async () => {
    const put = (options: S3Options, more: Readonly<Record<string, string>> = {}, named = url) =>
      s3Server(options).then(({ environment }) =>
        openStore(named, { database, environment: { ...environment, ...more }, patience }).put(
          Buffer.from('x'),
        ),
      )
    const cases: readonly [() => Promise<string>, string, string][] = [
      [() => put({}, {}, 's3://other-bucket'), 'there is no bucket other-bucket', 'Make the bucket'],
      [
        () => put({}, { AWS_SECRET_ACCESS_KEY: 'wrong-secret' }),
        'secret key is not the right one',
        'AWS_SECRET_ACCESS_KEY',
      ],
      [() => put({}, { AWS_ACCESS_KEY_ID: 'AKIDOTHER' }), 'key is not known there', 'AWS_ACCESS_KEY_ID'],
      [() => put({}, { AWS_SESSION_TOKEN: 'old-token' }), 'session token is not valid', 'AWS_SESSION_TOKEN'],
      [() => put({ skewMs: 3_600_000 }), 's behind that of the store', 'time service'],
      [
        () => put({}, { AWS_REGION: 'eu-west-1' }),
        'is in the region us-east-1',
        'Set AWS_REGION to us-east-1',
      ],
      [
        () => put({}, { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' }),
        'cannot be reached',
        'AWS_ENDPOINT_URL_S3',
      ],
    ]
    for (const [outcome, words, cure] of cases) {
      const fault = await outcome().then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(fault).toMatchObject({
        code: 'FLEET_STORE',
        message: expect.stringContaining(words),
        cure: expect.stringContaining(cure),
      })
      expect(JSON.stringify([fault, String(fault)])).not.toMatch(/AKID|wrong-secret|old-token|wJalr/)
    }
    const { server, store } = await bucket()
    server.fail('PUT', { kind: 'status', status: 403, code: 'AccessDenied' })
    await expect(store.put(Buffer.from('x'))).rejects.toMatchObject({
      cure: expect.stringContaining('s3:PutObject'),
    })
    expect(server.asked).toHaveLength(1)
  })

  verifies(['fleet/bucket'], 'has an address without keys; the usual variables say the rest', () => {
    const environment = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'hush' }
    const at = (named: string, more: Readonly<Record<string, string>> = {}, isInsecure = false) => {
      const { urlOf, prefix } = bucketOf(named, { environment: { ...environment, ...more }, isInsecure })
      return urlOf(`${prefix}k`).href
    }
    expect(at('s3://b-1')).toBe('https://b-1.s3.us-east-1.amazonaws.com/k')
    expect(at('s3://b-1/x/y/?region=eu-west-1')).toBe('https://b-1.s3.eu-west-1.amazonaws.com/x/y/k')
    expect(at('s3://b.dots', { AWS_REGION: 'eu-west-2' })).toBe('https://s3.eu-west-2.amazonaws.com/b.dots/k')
    const own = { AWS_ENDPOINT_URL: 'https://s3.example.com/base/' }
    expect(at('s3://b-1', own)).toBe('https://s3.example.com/base/b-1/k')
    expect(at('s3://b-1?style=host', own)).toBe('https://b-1.s3.example.com/base/k')
    expect(at('s3://b-1?endpoint=https://other.example', own)).toBe('https://other.example/b-1/k')
    const far = { AWS_ENDPOINT_URL: 'http://minio.example:9000' }
    expect(() => at('s3://b-1', far)).toThrow('no certificate')
    expect(at('s3://b-1', far, true)).toBe('http://minio.example:9000/b-1/k')
    for (const wrong of [
      's3://id:hush@b-1',
      's3://b-1?secret=hush',
      's3://b-1/../hush',
      's3:b-1',
      's3://B',
      's3://b-1#hush',
    ])
      expect(() => at(wrong)).toThrow(
        expect.objectContaining({ code: 'FLEET_STORE', message: expect.not.stringContaining('hush') }),
      )
    expect(() => at('s3://b-1', { AWS_ENDPOINT_URL: 'https://a:hush@x' })).toThrow('no address')
    expect(() => at('s3://b-1', { AWS_SECRET_ACCESS_KEY: '' })).toThrow('with which key')
  })
})
