import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCappedCapture } from '../../src/kit/process-output.ts'

function capture(maxBytes: number, chunks: readonly (string | Buffer)[]) {
  const captured = createCappedCapture(maxBytes)
  for (const chunk of chunks) captured.push(Buffer.from(chunk))
  return { text: captured.text(), truncated: captured.isTruncated() }
}

describe('a capped capture', () => {
  it('keeps everything up to the cap', () => {
    expect(capture(6, ['abc', 'def'])).toEqual({ text: 'abcdef', truncated: false })
    expect(capture(6, [])).toEqual({ text: '', truncated: false })
  })

  it('keeps the beginning and the end beyond the cap', () => {
    expect(capture(6, ['abcdefgh'])).toEqual({ text: 'abc\n[2 bytes left out]\nfgh', truncated: true })
    expect(capture(6, ['a', 'bc', 'd', 'e', 'f', 'gh'])).toEqual({
      text: 'abc\n[2 bytes left out]\nfgh',
      truncated: true,
    })
  })

  it('keeps nothing with a cap of nothing', () => {
    expect(capture(0, ['abc'])).toEqual({ text: '\n[3 bytes left out]\n', truncated: true })
  })

  it('cuts no character in two and accounts for every byte', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀') })
    fc.assert(
      fc.property(text, fc.nat(40), fc.integer({ min: 1, max: 9 }), (written, maxBytes, chunkSize) => {
        const bytes = Buffer.from(written)
        const chunks: Buffer[] = []
        for (let at = 0; at < bytes.length; at += chunkSize) chunks.push(bytes.subarray(at, at + chunkSize))
        const { text: kept, truncated } = capture(maxBytes, chunks)
        expect(truncated).toBe(bytes.length > maxBytes)
        expect(kept).not.toContain('\uFFFD')
        if (!truncated) {
          expect(kept).toBe(written)
          return
        }
        const [, head = '', missing = '', tail = ''] =
          kept.match(/^(.*)\n\[(\d+) bytes left out\]\n(.*)$/) ?? []
        expect(written.startsWith(head) && written.endsWith(tail)).toBe(true)
        expect(Buffer.byteLength(head) + Number(missing) + Buffer.byteLength(tail)).toBe(bytes.length)
        expect(Buffer.byteLength(head + tail)).toBeLessThanOrEqual(maxBytes)
      }),
      { numRuns: 500 },
    )
  })
})
