import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeLineSeparators, type Line, readLines, splitLines } from '../../src/kit/index.ts'
import { tempDir } from './temp-dir.ts'

const shown = (line: Line) => ({
  ...line,
  bytes: line.bytes.toString(),
})

function split(chunks: readonly Buffer[], maxLineBytes?: number): readonly Line[] {
  const splitter = splitLines(maxLineBytes === undefined ? {} : { maxLineBytes })
  return [...chunks.flatMap(chunk => splitter.push(chunk)), ...splitter.end()]
}

async function read(path: string, options?: Parameters<typeof readLines>[1]): Promise<readonly Line[]> {
  const lines: Line[] = []
  for await (const batch of readLines(path, options)) lines.push(...batch)
  return lines
}

/** What must come out, in the plainest way. */
function expected(bytes: Buffer, maxLineBytes: number) {
  const texts = bytes.toString('latin1').split('\n')
  let offset = 0
  const lines = texts.map((text, index) => {
    const tooLong = text.length > maxLineBytes
    const line = {
      offset,
      length: text.length,
      text: tooLong ? '' : text,
      terminated: index < texts.length - 1,
      tooLong,
    }
    offset += text.length + 1
    return line
  })
  return texts.at(-1) === '' ? lines.slice(0, -1) : lines
}

describe('splitLines', () => {
  it('cuts at line feeds and at nothing else', () => {
    const text = 'a\r\nb\rc\u2028d\u2029e\u0085f\v\f\n\n'
    expect(split([Buffer.from(text)]).map(line => line.bytes.toString())).toEqual([
      'a\r',
      'b\rc\u2028d\u2029e\u0085f\v\f',
      '',
    ])
  })

  it('marks a last line without a line feed', () => {
    expect(split([Buffer.from('{"a":1}\n{"b"')]).map(shown)).toEqual([
      { offset: 0, length: 7, bytes: '{"a":1}', terminated: true, tooLong: false },
      { offset: 8, length: 4, bytes: '{"b"', terminated: false, tooLong: false },
    ])
  })

  it('gives the same lines however the bytes are cut into chunks, and with any cap', () => {
    const bytes = fc.array(fc.constantFrom(0x0a, 0x61, 0x0d, 0xe2, 0x80, 0xa8, 0x00), { maxLength: 60 })
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(9), { minLength: 1 }), fc.nat(12), (all, cuts, maxLineBytes) => {
        const whole = Buffer.from(all)
        const chunks: Buffer[] = []
        for (let at = 0, turn = 0; at < whole.length; turn++) {
          const size = cuts[turn % cuts.length] || 1
          chunks.push(whole.subarray(at, at + size))
          at += size
        }
        const lines = split(chunks, maxLineBytes)
        expect(lines.map(({ bytes: kept, ...line }) => ({ ...line, text: kept.toString('latin1') }))).toEqual(
          expected(whole, maxLineBytes),
        )
      }),
      { numRuns: 500 },
    )
  })

  it('tells of an over-long line, goes on behind it and does not hold its bytes', () => {
    const splitter = splitLines({ maxLineBytes: 1000 })
    const chunk = Buffer.alloc(1 << 20, 'x')
    const before = process.memoryUsage().arrayBuffers
    for (let pushed = 0; pushed < 200; pushed++) expect(splitter.push(chunk)).toEqual([])
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 << 20)
    expect(splitter.push(Buffer.from('\nnext\n')).map(shown)).toEqual([
      { offset: 0, length: 200 << 20, bytes: '', terminated: true, tooLong: true },
      { offset: (200 << 20) + 1, length: 4, bytes: 'next', terminated: true, tooLong: false },
    ])
  })
})

describe('readLines', () => {
  it.each([1, 2, 3, 7, 1 << 20])('reads a file in chunks of %d bytes', async chunkBytes => {
    await using dir = await tempDir()
    await writeFile(dir.file('file'), 'one\ntwo\n\nfour €')
    const lines = await read(dir.file('file'), { chunkBytes })
    expect(lines.map(line => [line.offset, line.bytes.toString(), line.terminated])).toEqual([
      [0, 'one', true],
      [4, 'two', true],
      [8, '', true],
      [9, 'four €', false],
    ])
  })

  it('reads a part, with offsets in the whole', async () => {
    await using dir = await tempDir()
    await writeFile(dir.file('file'), 'one\ntwo\nthree\n')
    const part = await read(dir.file('file'), { start: 4, end: 10 })
    expect(part.map(line => [line.offset, line.bytes.toString(), line.terminated])).toEqual([
      [4, 'two', true],
      [8, 'th', false],
    ])
    expect(await read(dir.file('file'), { start: 4, end: 4 })).toEqual([])
    expect(await read(dir.file('file'), { start: 400 })).toEqual([])
  })

  it('passes on over-long lines as values', async () => {
    await using dir = await tempDir()
    await writeFile(dir.file('file'), `${'x'.repeat(50)}\nshort\n`)
    const lines = await read(dir.file('file'), { maxLineBytes: 10, chunkBytes: 8 })
    expect(lines.map(line => [line.offset, line.length, line.tooLong])).toEqual([
      [0, 50, true],
      [51, 5, false],
    ])
  })

  it('rejects when there is no file, or a directory, and does not wait on a FIFO', async () => {
    await using dir = await tempDir()
    await expect(read(dir.file('nothing'))).rejects.toThrow('ENOENT')
    await expect(read(dir.path)).rejects.toThrow('EISDIR')
    execFileSync('mkfifo', [dir.file('pipe')])
    await expect(read(dir.file('pipe'))).rejects.toThrow()
  })

  it('reads a hundred thousand lines of 300 bytes without a wait for each', async () => {
    await using dir = await tempDir()
    await writeFile(dir.file('file'), `${'x'.repeat(299)}\n`.repeat(100_000))
    const before = performance.now()
    let count = 0
    for await (const batch of readLines(dir.file('file'))) count += batch.length
    expect(count).toBe(100_000)
    expect(performance.now() - before).toBeLessThan(2000)
  })
})

describe('escapeLineSeparators', () => {
  it('keeps the meaning of the JSON and leaves no separator in it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', '\u2028', '\u2029', '\\', '"', '\n') })),
        texts => {
          const escaped = escapeLineSeparators(JSON.stringify(texts))
          expect(escaped).not.toMatch(/[\u2028\u2029\n]/)
          expect(JSON.parse(escaped)).toEqual(texts)
        },
      ),
    )
  })
})
