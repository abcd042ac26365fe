import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { isProof, tally } from '../../../test/support/proof.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { checkedAddress } from '../src/engine/address.ts'
import { type Submission, weigh } from '../src/index.ts'
import { readKey, refuseKey } from '../src/store/index.ts'
import { seal, unseal } from '../src/store/seal.ts'

const key = Buffer.alloc(32, 7)
const mebibyte = 1024 ** 2

describe('an encrypted object', () => {
  verifies(
    ['fleet/encrypted'],
    'opens to what was put, at the borders of frames too, with this key only',
    () => {
      for (const size of [0, 1, mebibyte - 1, mebibyte, mebibyte + 1, 2 * mebibyte]) {
        const plain = Buffer.alloc(size, 'canary')
        const sealed = seal(plain, key)
        expect(unseal(sealed, key).equals(plain)).toBe(true)
        expect(sealed.includes('canary')).toBe(false)
        expect(seal(plain, key).equals(sealed)).toBe(false)
        expect(() => unseal(sealed, Buffer.alloc(32, 8))).toThrow()
      }
    },
  )

  verifies(
    ['fleet/encrypted'],
    'with a byte changed, a frame left out or two of them swapped does not open',
    () => {
      const sealed = seal(Buffer.alloc(2 * mebibyte + 10, 1), key)
      const [begin, step] = [36, mebibyte + 16]
      const frames = [0, 1, 2].map(at => sealed.subarray(begin + at * step, begin + (at + 1) * step))
      const head = sealed.subarray(0, begin)
      for (const order of [[0], [0, 1], [1, 0, 2], [0, 2], [1, 2], [0, 0, 2], [0, 1, 2, 2]]) {
        const forged = Buffer.concat([head, ...order.map(at => frames[at] ?? head)])
        expect(() => unseal(forged, key)).toThrow()
      }
      const small = seal(Buffer.from('a parcel'), key)
      const runs = isProof ? 2_000 : 100
      fc.assert(
        fc.property(fc.nat(small.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
          const changed = Buffer.from(small)
          changed[at] = (changed[at] ?? 0) ^ flip
          expect(() => unseal(changed, key)).toThrow()
          expect(() => unseal(small.subarray(0, at), key)).toThrow()
        }),
        { numRuns: runs },
      )
      tally('encrypted objects changed', runs)
    },
  )
})

describe('the key of a fleet', () => {
  verifies(['fleet/key'], 'is 32 bytes, from a file that only its owner may read', async () => {
    const file = join(await tempDir({ inMemory: true }), 'key')
    writeFileSync(file, `${key.toString('hex')}\n`, { mode: 0o600 })
    const read = readKey({ file })
    expect(read?.bytes.equals(key)).toBe(true)
    expect(readKey({ text: key.toString('base64') })?.check).toBe(read?.check)
    expect(readKey({ text: Buffer.alloc(32, 8).toString('hex') })?.check).not.toBe(read?.check)
    chmodSync(file, 0o640)
    const isFault = expect.objectContaining({ code: 'FLEET_KEY' })
    expect(() => readKey({ file })).toThrow(isFault)
    expect(() => readKey({ file: '/nowhere' })).toThrow(isFault)
    expect(() => readKey({ text: 'short' })).toThrow(isFault)
    expect(() => refuseKey('none', read?.check ?? '')).toThrow(isFault)
    expect(() => refuseKey(read?.check ?? '', 'none')).toThrow(isFault)
    expect(() => refuseKey('none', 'none')).not.toThrow()
  })
})

describe('the address of an engine', () => {
  verifies(['fleet/verified-engine'], 'asks for a checked certificate, unless it is on this machine', () => {
    const asked = (url: string, isInsecure = false) => checkedAddress(url, { isInsecure })
    expect(asked('postgres://me@db.example/x')).toBe('postgres://me@db.example/x?sslmode=verify-full')
    const verified = 'postgres://me@db.example/x?sslmode=verify-full&sslrootcert=/a.pem'
    expect(asked(verified)).toBe(verified)
    const near = [
      'postgres://me@127.0.0.1/x',
      'postgres://me@localhost:5/x',
      'postgres://me@[::1]/x',
      'postgres:///x?host=/run',
    ]
    for (const url of near) expect(asked(url)).toBe(url)
    const isFault = expect.objectContaining({ code: 'FLEET_UNREACHABLE' })
    for (const words of ['sslmode=disable', 'sslmode=require', 'sslmode=no-verify', 'ssl=0']) {
      const url = `postgres://me:secret-word@db.example/x?${words}`
      expect(() => asked(url)).toThrow(isFault)
      expect(() => asked(url)).not.toThrow('secret-word')
      expect(asked(url, true)).toBe(url)
    }
    expect(() => asked('me:secret-word@db')).toThrow(isFault)
    expect(() => asked('me:secret-word@db')).not.toThrow('secret-word')
  })
})

describe('what is submitted', () => {
  verifies(
    ['fleet/secrets-refused'],
    'is refused with a key in it: its place is said, and never the key',
    async () => {
      const hankFolder = await tempDir({ inMemory: true })
      mkdirSync(join(hankFolder, 'prompts'))
      writeFileSync(join(hankFolder, 'hank.json'), '{}')
      const given = (more: Partial<Submission> = {}): Submission => ({
        name: 'x',
        hankFolder,
        data: [],
        priority: 0,
        weight: 1,
        pool: 'default',
        lease: 10,
        options: {},
        search: { known: [{ name: 'MY_TOKEN', value: 'plain-looking-word' }] },
        ...more,
      })
      const shaped = `sk-ant-${'a1'.repeat(20)}`
      expect((await weigh(given())).executions).toBe(1)
      for (const [text, name] of [
        [`one\ntwo ${shaped}\n`, 'anthropic-key'],
        ['one\nplain-looking-word', 'MY_TOKEN'],
      ] as const) {
        writeFileSync(join(hankFolder, 'prompts/a.md'), text)
        const refused = weigh(given())
        await expect(refused).rejects.toMatchObject({
          code: 'FLEET_SECRET',
          message: `There is a secret (${name}) in prompts/a.md:2.`,
        })
        expect((await weigh(given({ search: undefined }))).executions).toBe(1)
      }
      writeFileSync(join(hankFolder, 'prompts/a.md'), 'clean')
      const data = [{ path: hankFolder }, { path: hankFolder, model: shaped }]
      await expect(weigh(given({ data }))).rejects.toThrow('in data set 2:1')
    },
  )
})
