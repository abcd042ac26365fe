import { createHash } from 'node:crypto'
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { storeInlineData } from '../../src/workspace/index.ts'

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')

const stream = (...chunks: readonly Buffer[]): AsyncIterable<Uint8Array> => Readable.from(chunks)

async function stored(content: string | AsyncIterable<Uint8Array>, home: string): Promise<string> {
  const result = await storeInlineData(content, { home })
  if (!result.ok) throw new Error(result.message)
  return result.path
}

describe('data without a file', () => {
  verifies(
    ['d2/inline-data-stored-by-hash'],
    'is kept under the hash of its content, the same for a text and a stream',
    async () => {
      const home = await tempDir()
      const path = join(home, '.weave', 'inputs', `${sha256('grüße\n')}.txt`)
      expect(await stored('grüße\n', home)).toBe(path)
      const bytes = Buffer.from('grüße\n')
      // The border of the chunks cuts a character in two.
      expect(await stored(stream(bytes.subarray(0, 3), bytes.subarray(3)), home)).toBe(path)
      expect(await readFile(path, 'utf8')).toBe('grüße\n')
      expect(await readdir(join(home, '.weave', 'inputs'))).toEqual([`${sha256('grüße\n')}.txt`])
    },
  )

  it('is readable by its owner only', async () => {
    const home = await tempDir()
    const path = await stored('secret', home)
    const modes = [path, join(path, '..'), join(path, '..', '..')].map(
      async each => (await stat(each)).mode & 0o777,
    )
    expect(await Promise.all(modes)).toEqual([0o600, 0o700, 0o700])
  })

  it('keeps its time when it comes again, so that the data hash stays', async () => {
    const home = await tempDir()
    const path = await stored('again', home)
    const time = new Date('2020-01-01T00:00:00.000Z')
    await utimes(path, time, time)
    expect(await stored('again', home)).toBe(path)
    expect((await stat(path)).mtime).toEqual(time)
  })

  it('that was damaged is written anew', async () => {
    const home = await tempDir()
    const path = await stored('content', home)
    await writeFile(path, 'CONTENT')
    expect(await stored('content', home)).toBe(path)
    expect(await readFile(path, 'utf8')).toBe('content')
  })

  it('that is no text has no ending; nothing at all is an empty text', async () => {
    const home = await tempDir()
    for (const bytes of [Buffer.from([0xff, 0xfe]), Buffer.from('a\0b'), Buffer.from('ü').subarray(0, 1)])
      expect(await stored(stream(bytes), home)).toBe(join(home, '.weave', 'inputs', sha256(bytes)))
    expect(await stored('', home)).toBe(join(home, '.weave', 'inputs', `${sha256('')}.txt`))
  })

  it('that is too large, or whose stream breaks, leaves nothing behind', async () => {
    const home = await tempDir()
    const large = await storeInlineData(stream(Buffer.alloc(60), Buffer.alloc(60)), { home, maxBytes: 100 })
    expect(large).toMatchObject({ ok: false, message: expect.stringContaining('larger than 100 bytes') })
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half')
      throw new Error('the pipe broke')
    }
    expect(await storeInlineData(broken(), { home })).toMatchObject({
      ok: false,
      message: expect.stringContaining('the pipe broke'),
    })
    expect(await readdir(join(home, '.weave', 'inputs'))).toEqual([])
  })
})
