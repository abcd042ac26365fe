import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BodyReader } from '../../src/proxy/wire/body-reader.ts'
import { chunkOf, lastChunk } from '../../src/proxy/wire/chunk.ts'
import { createChunkedReader } from '../../src/proxy/wire/chunked-body.ts'
import { createHeadBuffer } from '../../src/proxy/wire/head-buffer.ts'
import { readRequestHead } from '../../src/proxy/wire/request-head.ts'
import { readResponseHead } from '../../src/proxy/wire/response-head.ts'

/** The bytes in pieces that end at these places. */
function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const ends = [...new Set(places.map(place => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...ends, bytes.length]
    .map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end))
    .filter(each => each.length > 0)
}

describe('a chunked body', () => {
  it('comes out the same however it is cut into chunks and into pieces of the wire', () => {
    const payloads = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 12 })
    fc.assert(
      fc.property(
        payloads,
        fc.array(fc.nat(), { maxLength: 20 }),
        fc.boolean(),
        (parts, places, hasTrailer) => {
          const chunks = parts.map(part => chunkOf(Buffer.from(part)))
          const end = hasTrailer ? '0\r\nx-sum: 1\r\n\r\n' : lastChunk
          const wire = Buffer.concat([...chunks, Buffer.from(end), Buffer.from('next')])
          const reader = createChunkedReader()
          const out: Buffer[] = []
          let rest = ''
          for (const piece of cut(wire, places)) {
            if (rest !== '') {
              rest += piece.toString()
              continue
            }
            const progress = reader.push(piece)
            if (progress.kind === 'fault') throw new Error(progress.fault)
            if (progress.data) out.push(progress.data)
            if (progress.kind === 'done') rest = `>${progress.rest.toString()}`
          }
          expect(Buffer.concat(out)).toEqual(Buffer.concat(parts.map(part => Buffer.from(part))))
          expect(rest).toBe('>next')
        },
      ),
    )
  })

  it.each([
    ['a bare line feed after the size', '3\none\r\n0\r\n\r\n'],
    ['a bare line feed in an extension', '3;a\nb\r\none\r\n0\r\n\r\n'],
    ['a carriage return in an extension', '3;a\rb\r\none\r\n0\r\n\r\n'],
    ['a sign', '+3\r\none\r\n0\r\n\r\n'],
    ['0x', '0x3\r\none\r\n0\r\n\r\n'],
    ['a space before the size', ' 3\r\none\r\n0\r\n\r\n'],
    ['no size', '\r\none\r\n0\r\n\r\n'],
    ['a size beyond all reason', 'ffffffffffffffffff\r\none'],
    ['more data than the size', '3\r\nones\r\n0\r\n\r\n'],
    ['a bare line feed after the data', '3\r\none\n0\r\n\r\n'],
    ['an endless size line', `3;${'x'.repeat(400)}`],
    ['a trailer that is no header', '0\r\nno header\r\n\r\n'],
    ['a bare line feed in the trailers', '0\r\nx: 1\n\r\n'],
    ['endless trailers', `0\r\n${'x: 1\r\n'.repeat(4_000)}\r\n`],
  ])('is refused with %s', (_what, wire) => {
    expect(createChunkedReader().push(Buffer.from(wire)).kind).toBe('fault')
  })
})

describe('a body of a known length', () => {
  it('ends exactly there, however it arrives', () => {
    const bytes = fc.uint8Array({ maxLength: 200 })
    fc.assert(
      fc.property(bytes, bytes, fc.array(fc.nat(), { maxLength: 8 }), (body, behind, places) => {
        const reader = new BodyReader({ kind: 'length', length: body.length })
        const out: Buffer[] = []
        const rests: Buffer[] = []
        for (const piece of cut(Buffer.concat([body, behind]), places)) {
          if (reader.isDone) rests.push(piece)
          else {
            const progress = reader.push(piece)
            if (progress.kind === 'fault') throw new Error(progress.fault)
            if (progress.data) out.push(progress.data)
            if (progress.kind === 'done') rests.push(progress.rest)
          }
        }
        expect(Buffer.concat(out)).toEqual(Buffer.from(body))
        expect(Buffer.concat(rests)).toEqual(Buffer.from(behind))
      }),
    )
  })
})

describe('a head', () => {
  it('is found at the same place however it arrives', () => {
    const wire = Buffer.from('GET / HTTP/1.1\r\nHost: h\r\nX-A: \u00e9\r\n\r\nrest', 'latin1')
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 10 }), places => {
        const buffer = createHeadBuffer()
        for (const piece of cut(wire, places)) {
          const taken = buffer.push(piece)
          if (taken.kind === 'more') continue
          expect(taken.kind === 'head' && taken.text).toBe('GET / HTTP/1.1\r\nHost: h\r\nX-A: \u00e9')
          return
        }
        throw new Error('There was no head.')
      }),
    )
  })

  it('of any bytes is read or refused, and never throws', () => {
    const near = fc.string({
      unit: fc.constantFrom('\r', '\n', ' ', ':', 'a', '/', '\0', 'Host', '1'),
      maxLength: 40,
    })
    fc.assert(
      fc.property(near, fc.boolean(), (text, isAfterLine) => {
        const head = isAfterLine ? `GET / HTTP/1.1\r\n${text}` : text
        const read = readRequestHead(head)
        if (read.ok) {
          const { headers } = read.head
          expect(headers.every(({ name, value }) => !/[\r\n\0 ]/.test(name) && !/[\r\n\0]/.test(value))).toBe(
            true,
          )
        }
        readResponseHead(`HTTP/1.1 200 OK\r\n${text}`, 'GET')
      }),
      { numRuns: 500 },
    )
  })

  it('keeps the bytes of values and takes only space and tab from around them', () => {
    const read = readRequestHead('GET / HTTP/1.1\r\nHost: h\r\nX-Odd: \t \u00a0a  b\u00a0\t')
    expect(read.ok && read.head.headers[1]?.value).toBe('\u00a0a  b\u00a0')
  })

  it.each([
    ['no status line', 'HTTP/2 200 OK'],
    ['a status of two digits', 'HTTP/1.1 20 OK'],
    ['a status of six hundred', 'HTTP/1.1 600 OK'],
    ['a fold', 'HTTP/1.1 200 OK\r\nA: 1\r\n 2'],
    ['a space before the colon', 'HTTP/1.1 200 OK\r\nContent-Length : 3'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3'],
    ['a length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked'],
    ['two codings', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked'],
    ['chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked'],
    ['a NUL', 'HTTP/1.1 200 OK\r\nA: \0'],
    ['a bare carriage return', 'HTTP/1.1 200 OK\r\nA: \rB: 1'],
  ])('of a response is refused with %s', (_what, text) => {
    expect(readResponseHead(text, 'GET').ok).toBe(false)
  })
})
