import { Writable } from 'node:stream'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseFrames } from '../../../../test/support/raw-websocket.ts'
import { pongFrame, textFrameOf, textFrames } from '../../src/server/frames.ts'
import { createOutbox } from '../../src/server/outbox.ts'

/** A socket whose other side takes only what a test tells it to take. */
function slowSocket() {
  const taken: Buffer[] = []
  let waiting: (() => void) | undefined
  const socket = new Writable({
    highWaterMark: 1_000,
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk)
      waiting = done
    },
    writev(chunks, done) {
      taken.push(...chunks.map(({ chunk }) => chunk as Buffer))
      waiting = done
    },
  })
  return {
    socket,
    taken: () => Buffer.concat(taken).toString('latin1'),
    /** Lets it take all that it was handed; resolves when more may have been handed to it. */
    async take() {
      const done = waiting
      waiting = undefined
      done?.()
      await new Promise(resolve => setImmediate(resolve))
    },
    async takeAll() {
      while (waiting) await this.take()
    },
  }
}

const bytes = (letter: string, count: number) => [Buffer.alloc(count, letter)]

describe('the outbox', () => {
  test('hands on at once while the other side takes it', () => {
    const { socket, taken } = slowSocket()
    const outbox = createOutbox(socket, { limit: 10_000, isOpen: () => true })
    expect(outbox.push(bytes('a', 10))).toBe(true)
    expect(taken()).toBe('a'.repeat(10))
    expect(outbox.isDrained).toBe(true)
  })

  test('keeps the order of what waits and what comes, whole frame by whole frame', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.constant('take' as const)), {
          maxLength: 60,
        }),
        async steps => {
          const other = slowSocket()
          const outbox = createOutbox(other.socket, { limit: 1e9, isOpen: () => true })
          let expected = ''
          for (const [at, step] of steps.entries()) {
            if (step === 'take') await other.take()
            else {
              const letter = String.fromCharCode(97 + (at % 26))
              outbox.push([...bytes(letter, step), ...bytes(letter.toUpperCase(), 1)])
              expected += letter.repeat(step) + letter.toUpperCase()
            }
          }
          await other.takeAll()
          expect(other.taken()).toBe(expected)
          expect(outbox.bytes).toBe(0)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('never holds more than its limit, and takes nothing of what does not fit', async () => {
    const other = slowSocket()
    const outbox = createOutbox(other.socket, { limit: 5_000, isOpen: () => true })
    expect(outbox.push(bytes('a', 2_000))).toBe(true)
    expect(outbox.push(bytes('b', 3_000))).toBe(true)
    expect(outbox.push(bytes('c', 1))).toBe(false)
    expect(outbox.bytes).toBe(5_000)
    await other.takeAll()
    expect(other.taken()).toBe('a'.repeat(2_000) + 'b'.repeat(3_000))
    expect(outbox.push(bytes('d', 1))).toBe(true)
  })

  test('takes a single frame that is larger than the limit when nothing else waits', async () => {
    const other = slowSocket()
    const outbox = createOutbox(other.socket, { limit: 100, isOpen: () => true })
    expect(outbox.push(bytes('a', 5_000))).toBe(true)
    expect(outbox.push(bytes('b', 1))).toBe(false)
  })

  test('leaves only a handful in the socket, where nothing can be taken back', async () => {
    const other = slowSocket()
    const outbox = createOutbox(other.socket, { limit: 1e9, isOpen: () => true })
    for (let n = 0; n < 200; n++) outbox.push(bytes('x', 10_000))
    await other.take()
    expect(other.socket.writableLength).toBeLessThan(300_000)
    expect(outbox.bytes).toBeGreaterThan(1_900_000)
    outbox.discard()
    expect(outbox.bytes).toBeLessThan(300_000)
    await other.takeAll()
    expect(other.taken().length % 10_000).toBe(0)
    expect(other.taken().length).toBeLessThan(300_000)
  })

  test('while held it gathers; what is said at the release goes first', async () => {
    const other = slowSocket()
    const outbox = createOutbox(other.socket, { limit: 5_000, isOpen: () => true })
    outbox.hold()
    outbox.push(bytes('b', 3))
    outbox.push(bytes('c', 3))
    expect(other.taken()).toBe('')
    outbox.release(bytes('a', 3))
    outbox.push(bytes('d', 3))
    await other.takeAll()
    expect(other.taken()).toBe('aaabbbcccddd')
  })

  test('after the end it takes nothing, says that nothing waits, and wakes who waited', async () => {
    const other = slowSocket()
    let isOpen = true
    const outbox = createOutbox(other.socket, { limit: 1e6, isOpen: () => isOpen })
    outbox.push(bytes('a', 2_000))
    outbox.push(bytes('b', 2_000))
    const drained = outbox.drained()
    isOpen = false
    await other.takeAll()
    await drained
    expect(outbox.push(bytes('c', 10))).toBe(true)
    expect(other.taken()).toBe('a'.repeat(2_000))
  })

  test('sends nothing after a closing frame, which someone else may have sent', async () => {
    const other = slowSocket()
    let isOpen = true
    const outbox = createOutbox(other.socket, { limit: 1e6, isOpen: () => isOpen })
    outbox.push(bytes('a', 10))
    isOpen = false
    outbox.push(bytes('b', 10))
    await other.takeAll()
    expect(other.taken()).toBe('a'.repeat(10))
  })

  test('tells when nothing waits any more', async () => {
    const other = slowSocket()
    const outbox = createOutbox(other.socket, { limit: 1e6, isOpen: () => true })
    outbox.push(bytes('a', 2_000))
    outbox.push(bytes('b', 2_000))
    let isDrained = false
    const drained = outbox.drained().then(() => {
      isDrained = true
    })
    expect(outbox.isDrained).toBe(false)
    await new Promise(resolve => setImmediate(resolve))
    expect(isDrained).toBe(false)
    const before = outbox.progress
    await other.take()
    await drained
    expect(outbox.progress).toBeGreaterThan(before)
  })
})

describe('frames', () => {
  test('carry any text, whatever its length', () => {
    const lengths = fc.oneof(
      fc.nat({ max: 200 }),
      fc.integer({ min: 65_500, max: 65_600 }),
      fc.nat({ max: 200_000 }),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(lengths, fc.string({ unit: 'grapheme' })), { maxLength: 5 }), made => {
        const texts = made.map(([length, start]) => (start + 'é'.repeat(length)).slice(0, length))
        const whole = texts.map(text => Buffer.from(text).toString('utf8'))
        const { frames, rest } = parseFrames(textFrames(texts))
        expect(frames.map(frame => frame.payload.toString('utf8'))).toEqual(whole)
        expect(rest).toHaveLength(0)
        const inParts = parseFrames(
          Buffer.concat(texts.flatMap(text => textFrameOf([Buffer.from(text), Buffer.from('!')]))),
        )
        expect(inParts.frames.map(frame => frame.payload.toString('utf8'))).toEqual(
          whole.map(text => `${text}!`),
        )
      }),
      { numRuns: 20 },
    )
  })

  test('a pong carries what the ping did', () => {
    for (const size of [0, 1, 125]) {
      const [frame] = parseFrames(Buffer.concat(pongFrame(Buffer.alloc(size, 7)))).frames
      expect(frame).toEqual({ fin: true, opcode: 10, payload: Buffer.alloc(size, 7) })
    }
  })
})
