import { PassThrough, Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readOutput } from '../../src/kit/process-output.ts'

const quiet = { onBytes: () => undefined, onText: () => undefined, onListenerError: () => undefined }

describe('readOutput', () => {
  it('never splits a character, wherever the chunks end', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀'), maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 5 }), async (written, chunkSize) => {
        const bytes = Buffer.from(written)
        const chunks: Buffer[] = []
        for (let at = 0; at < bytes.length; at += chunkSize) chunks.push(bytes.subarray(at, at + chunkSize))
        const texts: string[] = []
        const raw: Buffer[] = []
        const output = readOutput(Readable.from(chunks), 1000, {
          ...quiet,
          onBytes: chunk => raw.push(chunk),
          onText: part => texts.push(part),
        })
        await output.closed
        output.finish()
        expect(texts.join('')).toBe(written)
        expect(texts.some(part => /\p{Surrogate}/u.test(part))).toBe(false)
        expect(Buffer.concat(raw)).toEqual(bytes)
        expect(output.text()).toBe(written)
      }),
    )
  })

  it('tells an unfinished character at the end once, and nothing afterwards', async () => {
    const stream = new PassThrough()
    const texts: string[] = []
    const output = readOutput(stream, 1000, { ...quiet, onText: text => texts.push(text) })
    stream.write(Buffer.from('a€').subarray(0, 3))
    await new Promise(resolve => setImmediate(resolve))
    output.finish()
    output.finish()
    expect(texts).toEqual(['a', '\uFFFD'])
    await output.closed
  })

  it('goes on capturing after a listener has thrown, and calls none again', async () => {
    const errors: unknown[] = []
    let calls = 0
    const output = readOutput(Readable.from([Buffer.from('one'), Buffer.from('two')]), 1000, {
      ...quiet,
      onText() {
        calls++
        throw new Error('bad listener')
      },
      onListenerError: error => errors.push(error),
    })
    await output.closed
    output.finish()
    expect([output.text(), calls, errors]).toEqual(['onetwo', 1, [new Error('bad listener')]])
  })

  it('takes a stream that breaks for one that ends', async () => {
    const stream = new PassThrough()
    const output = readOutput(stream, 1000, quiet)
    stream.destroy(new Error('broken'))
    await output.closed
    expect(output.text()).toBe('')
  })
})
