import { eventTypes } from '@weave/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkLine, encodeLine } from '../../src/journal/line.ts'
import { typeOf } from '../../src/journal/line-type.ts'
import { createId } from '../../src/kit/index.ts'

const word = fc.stringMatching(/^[a-zA-Z0-9_.-]{0,40}$/)
const line = fc.record({
  seq: fc.nat({ max: 2 ** 50 }),
  id: fc.oneof(
    word,
    word.map(() => createId('evt')),
  ),
  // As a clock says them, also longer ones; a shorter one is never written.
  timestamp: fc.date({ noInvalidDate: true }).map(time => time.toISOString()),
  type: fc.oneof(fc.constantFrom(...eventTypes), word),
  commandId: fc.option(fc.constantFrom('c', '"type":"info"', 'é'), { nil: undefined }),
  origin: fc.option(fc.constant('sentinel' as const), { nil: undefined }),
})
const data = fc.oneof(fc.json(), fc.constant('{"type":"info","text":"\\"type\\":\\"error\\""}'))
const blobs = fc.option(fc.constant({ content: ['ab', 3] as const }), { nil: undefined })

test('the type is read off the bytes of any line that can be written', () => {
  fc.assert(
    fc.property(line, data, blobs, (event, text, spilled) => {
      const bytes = Buffer.from(encodeLine(event, text, spilled))
      const checked = checkLine({ chunk: bytes, start: 0 }, 0, bytes.length - 1)
      if (typeof checked === 'string') throw new Error(checked)
      expect(typeOf(checked)).toBe(event.type)
    }),
    { numRuns: 2_000 },
  )
})
