import { expect, test } from 'vitest'
import { createTestClock } from '../../../../../test/support/test-clock.ts'
import { createProviderLog } from '../../../src/harness/claude/provider-log.ts'

const sent = `[Anthropic SDK DEBUG] [log_910f9d] sending request {
  method: "POST",
  options: {
    body: {
      messages: [Array ...],
    },
  },
  headers: {
    "retry-after": "7",
  },
}
`
const refused = (
  ...headers: readonly string[]
) => `[Anthropic SDK INFO] [log_910f9d] post http://x failed with status 429
[Anthropic SDK DEBUG] [log_910f9d] response error (error; no more retries left) {
  status: 429,
  headers: {
    date: "Mon, 16 Nov 2026 12:33:07 GMT",
${headers.map(line => `    ${line},\n`).join('')}  },
  durationMs: 22,
}
`
const answered = `[Anthropic SDK DEBUG] [log_1] response start {
  headers: {
    date: "Mon",
  },
}
`

function set() {
  const clock = createTestClock('2026-01-01T00:00:00.000Z')
  return { clock, log: createProviderLog(clock) }
}

test.each([
  ['"retry-after": "100"', 100_000],
  ['"Retry-After": "0.5"', 500],
  ['"retry-after-ms": "1500"', 1_500],
  ['"retry-after": "Fri, 02 Jan 2026 00:00:00 GMT"', 24 * 3_600_000],
  ['"x-retry-after": "9"', undefined],
])('a wait is read from the headers of an answer: %s', (line, wait) => {
  const { log } = set()
  expect(log.read(sent + refused(line))).toBe('')
  expect(log.waitLeft()).toBe(wait)
})

test('what is left of a wait gets less; another answer, or none, ends it', async () => {
  const { clock, log } = set()
  log.read(refused('"retry-after": "100"'))
  await clock.advance(30_000)
  expect(log.waitLeft()).toBe(70_000)
  await clock.advance(90_000)
  expect(log.waitLeft()).toBe(0)
  for (const next of [answered, '[Anthropic SDK INFO] [log_2] connection failed - retrying\n']) {
    log.read(refused('"retry-after": "100"'))
    log.read(sent)
    expect(log.waitLeft()).toBe(100_000)
    log.read(next)
    expect(log.waitLeft()).toBeUndefined()
  }
})

test('it makes no difference how the text is cut, and only what is no log is handed on', () => {
  const program = '2026-11-16T12:33:07.229Z [ERROR] API rate_limit: Later.\n    at somewhere\n\n'
  const whole = `before\n${sent}between\n${program}${refused('"retry-after": "100"')}after\nlast`
  for (const size of [1, 7, 64, whole.length]) {
    const { log } = set()
    let words = ''
    for (let at = 0; at < whole.length; at += size) words += log.read(whole.slice(at, at + size))
    expect(words + log.rest()).toBe('before\nbetween\nafter\nlast')
    expect(log.waitLeft()).toBe(100_000)
  }
})
