import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createRedactor } from '../../src/kit/index.ts'

/** A whole key of each shape. The tests repeat every beginning of it, so that each part of its pattern fails in turn. */
const keys = {
  'anthropic-key': 'sk-ant-aaaaaaaaaaaaaaaaaaaaaaaa',
  'openrouter-key': 'sk-or-aaaaaaaaaaaaaaaaaaaaaaaa',
  'openai-key': 'sk-proj-aaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  'google-key': 'AIzaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  'github-token': 'ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  'gitlab-token': 'glpat-aaaaaaaaaaaaaaaaaaaaaaaa',
  'aws-key': 'AKIAAAAAAAAAAAAAAAAAAAAA',
  'slack-token': 'xoxb-aaaaaaaaaaaaaaaa',
  'stripe-key': 'sk_live_aaaaaaaaaaaaaaaaaaaa',
  'npm-token': 'npm_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  'huggingface-token': 'hf_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  jwt: 'eyJaaaaaaaaaaaa.eyJaaaaaaaaaaaa.aaaaaaaaaaaa',
  'private-key': '-----BEGIN RSA PRIVATE KEY-----aaaaaaaa-----END RSA PRIVATE KEY-----',
} as const

const secrets = [
  { name: 'A_TOKEN', value: `${'a'.repeat(40)}b` },
  { name: 'PEM_SECRET', value: `${'line of a key\n'.repeat(40)}end` },
]
const { text, suspects, stream } = createRedactor(secrets)

const sizes = [16_000, 64_000, 256_000, 1_024_000]
/** A quadratic pattern takes longer than this for the second or third of them. */
const longest = 2_000
/** Times below this say nothing about a ratio: a busy machine adds as much. */
const noise = 500

/** The quickest of a few, because the machine may be busy with other things. */
function quickest(work: () => void, limit: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 5; attempt++) {
    const started = performance.now()
    work()
    best = Math.min(best, performance.now() - started)
    if (best < limit || best > 4 * limit) return best
  }
  return best
}

function expectLinear(piece: string, work: (input: string) => void): void {
  let before = 0
  for (const size of sizes) {
    const input = piece.repeat(Math.ceil(size / piece.length))
    const limit = Math.min(longest, Math.max(noise, 6 * before))
    const time = quickest(() => work(input), limit)
    expect(time, `${JSON.stringify(piece)} × ${Math.ceil(size / piece.length)}`).toBeLessThan(limit)
    before = time
  }
}

/** Beginnings of a key, with what may follow them: nothing, a dash, a dot. */
function piecesOf(key: string): readonly string[] {
  const lengths = [5, 14, key.length - 14, key.length]
  const beginnings = new Set(lengths.map(length => key.slice(0, Math.max(1, length))))
  return [...beginnings].flatMap(beginning => ['', '-', '.'].map(end => beginning + end))
}

describe('a megabyte of', () => {
  for (const [name, key] of Object.entries(keys)) {
    verifies(['attack/redaction-linear'], `beginnings of the shape ${name} takes linear time`, () => {
      expect(text(key).startsWith(`[redacted:${name}]`)).toBe(true)
      for (const piece of piecesOf(key)) expectLinear(piece, text)
    })
  }

  verifies(['attack/redaction-linear'], 'beginnings of known values takes linear time', () => {
    for (const piece of ['a', 'aaaaaaaab', 'line of a key\n', 'line of a ke']) {
      expectLinear(piece, text)
      expectLinear(piece, suspects)
      expectLinear(piece, input => {
        const pieces = stream()
        for (let at = 0; at < input.length; at += 4_096) pieces.push(input.slice(at, at + 4_096))
        pieces.end()
      })
    }
  })
})

verifies(['attack/redaction-linear'], 'a word of 32 MB does not break it', () => {
  // Otherwise this would go on for days.
  expectLinear('a', input => text(`eyJ${input}`))
  const long = 'a'.repeat(32_000_000)
  for (const beginning of ['sk-ant-', 'eyJ']) {
    const input = beginning + long
    const isKey = beginning !== 'eyJ'
    expect(text(input).length).toBeLessThan(isKey ? 100 : input.length + 1)
  }
})

verifies(
  ['attack/redaction-linear'],
  'a web token is found after a dash, in the middle and at the end of words',
  () => {
    const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghij-_k'
    expect(text(`a ${token} b`)).toBe('a [redacted:jwt] b')
    expect(text(`x-${token}`)).toBe('x-[redacted:jwt]')
    expect(text(`eyJ-eyJ-${token}`)).toBe('[redacted:jwt]')
    expect(text(`a.b.${token}`)).toBe('a.b.[redacted:jwt]')
    expect(text(`wordwordwordword.${token}.more`)).toBe('wordwordwordword.[redacted:jwt].more')
    expect(text(`x${token}`)).toBe(`x${token}`)
  },
)
