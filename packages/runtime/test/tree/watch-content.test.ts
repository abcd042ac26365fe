import { createHash } from 'node:crypto'
import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createFileReader } from '../../src/files/index.ts'
import { createTextCheck, digestLarge } from '../../src/tree/content.ts'
import { fill, watched } from './watch-fixture.ts'

const mebibyte = 1024 * 1024
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

describe('the content of an update', () => {
  verifies(['d5/file-content-limit'], 'is the text of a file of up to 1 MiB, byte for byte', async () => {
    const { root, settled, updates } = await watched()
    const text = '\uFEFFgrün\r\n🧶\n'
    await fill(root, { empty: '', full: 'x'.repeat(mebibyte), text })
    await settled()
    expect(updates.map(({ path, content }) => [path, content])).toEqual([
      ['empty', ''],
      ['full', 'x'.repeat(mebibyte)],
      ['text', text],
    ])
    expect(updates.filter(update => 'omitted' in update || 'bytes' in update || 'sha256' in update)).toEqual(
      [],
    )
  })

  verifies(['d5/file-content-large'], 'is omitted for a text of more than 1 MiB', async () => {
    const { root, settled, updates } = await watched()
    // A character across the border between two parts that are read.
    const contents = {
      a: 'x'.repeat(mebibyte + 1),
      b: `${'x'.repeat(mebibyte - 2)}🧶${'y'.repeat(mebibyte)}`,
    }
    await fill(root, contents)
    await settled()
    for (const [index, content] of Object.values(contents).entries()) {
      expect(updates[index]).toMatchObject({ action: 'created', content: '', omitted: 'large' })
      expect(updates[index]).toMatchObject({ bytes: Buffer.byteLength(content), sha256: sha256(content) })
    }
  })

  verifies(['d5/file-content-binary'], 'is omitted for a file that is not text, of any size', async () => {
    const { root, settled, updates } = await watched()
    const contents = {
      a: Buffer.from('text until \0 here'),
      b: Buffer.from([0x66, 0xff, 0x66]),
      c: Buffer.from('cut off 🧶').subarray(0, -1),
      d: Buffer.concat([Buffer.alloc(2 * mebibyte, 'x'), Buffer.from([0])]),
      e: Buffer.concat([Buffer.alloc(2 * mebibyte, 'x'), Buffer.from([0xe2, 0x82])]),
      f: Buffer.from([0xc0, 0x80]),
      g: Buffer.from([0xed, 0xa0, 0x80]),
    }
    await fill(root, contents)
    await settled()
    for (const [index, content] of Object.values(contents).entries()) {
      expect(updates[index]).toMatchObject({ content: '', omitted: 'binary' })
      expect(updates[index]).toMatchObject({ bytes: content.length, sha256: sha256(content) })
    }
    expect(updates).toHaveLength(7)
  })

  it('follows a file over the limit and back', async () => {
    const { root, settled, updates } = await watched({ files: { log: 'a' } })
    for (const size of [2 * mebibyte, 5, 2 * mebibyte]) {
      await fill(root, { log: 'a'.repeat(size) })
      expect(await settled()).toEqual(['modified log'])
      expect(updates.at(-1)?.omitted).toBe(size > mebibyte ? 'large' : undefined)
    }
    await fill(root, { log: 'a'.repeat(2 * mebibyte) })
    expect(await settled()).toEqual([])
  })
})

/** A file as the reader hands over one that does not fit into memory. */
async function openLarge(path: string, bytes: number) {
  await truncate(path, bytes)
  const reading = await createFileReader()(path)
  if (reading.kind !== 'large') throw new Error(`it is ${reading.kind}`)
  onTestFinished(reading.file.close)
  return reading.file
}

describe('the digest of a large file', () => {
  it('says as much as it can about one that is too large to be hashed', async () => {
    const { root } = await watched({ files: { raw: '\0', log: 'x'.repeat(9 * mebibyte) } })
    const log = await openLarge(join(root, 'log'), 9 * mebibyte)
    expect(await digestLarge(log, { maxBytes: mebibyte })).toEqual({ bytes: 9 * mebibyte, isText: true })
    const huge = await openLarge(join(root, 'raw'), 1024 ** 4)
    expect(await digestLarge(huge)).toEqual({ bytes: 1024 ** 4, isText: false })
  })

  it('stops when told to', async () => {
    const { root } = await watched({ files: { log: 'text' } })
    const stop = new AbortController()
    const reading = digestLarge(await openLarge(join(root, 'log'), 9 * mebibyte), { signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
  })
})

describe('the check for text', () => {
  const isText = (bytes: Buffer, size: number) => {
    const check = createTextCheck()
    for (let at = 0; at < bytes.length; at += size) check.add(bytes.subarray(at, at + size))
    return check.isText()
  }

  it('does not depend on where the parts end', () => {
    const samples = [
      ...['plain', 'é', '€uro', '🧶🧶', 'a🧶é€', ''].map(text => Buffer.from(text)),
      ...['ff', 'c3', 'e282', 'f09fa7', '61f09fa7', 'c328', 'e28228', '80', 'f8808080', '6100'].map(hex =>
        Buffer.from(hex, 'hex'),
      ),
    ]
    for (const sample of samples) {
      const whole = isText(sample, 100)
      expect(whole).toBe(!sample.includes(0) && Buffer.from(sample.toString()).equals(sample))
      for (let size = 1; size <= 5; size++) expect(isText(sample, size)).toBe(whole)
    }
  })
})
