import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalisedRequest } from '../../../src/proxy/recording/normalised-request.ts'
import { rewrittenAnswer, rewrittenPieces } from '../../../src/proxy/recording/rewritten-answer.ts'
import { events, textOf } from './recorded-traffic.ts'

const shout = (text: string): string => text.replaceAll('abc', 'ABCD').replaceAll('q', '')

describe('a text in pieces', () => {
  it('is rewritten as if it were whole, in as many pieces', () => {
    const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'q', 'ü'), maxLength: 6 }), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(pieces, given => {
        const after = rewrittenPieces(given, shout)
        expect(after.join('')).toBe(shout(given.join('')))
        expect(after.length).toBe(given.length)
      }),
    )
  })

  it('is found in the events of an answer, and only the events that hold it are changed', () => {
    const body = Buffer.from(events(['one ', 'a', 'b', 'c', ' two']))
    const after = rewrittenAnswer(body, shout).toString('utf8')
    expect(textOf(after)).toBe('one ABCD two')
    expect(
      after.split('\n').filter((line, at) => line !== body.toString('utf8').split('\n')[at]).length,
    ).toBe(3)
  })

  it('is one of several that are told side by side', () => {
    const delta = (index: number, content: string) =>
      `data: ${JSON.stringify({ choices: [{ index, delta: { content } }] })}\r\n\r\n`
    const body = Buffer.from(delta(0, 'a') + delta(1, 'a') + delta(0, 'b') + delta(1, 'q') + delta(0, 'c'))
    expect(rewrittenAnswer(body, shout).toString('utf8')).toBe(
      delta(0, 'ABCD') + delta(1, 'a') + delta(0, '') + delta(1, '') + delta(0, ''),
    )
  })

  it('stays byte for byte what it is where nothing is to be replaced', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), bytes => {
        const body = Buffer.from(bytes)
        expect(rewrittenAnswer(body, text => text)).toBe(body)
      }),
    )
    const json = Buffer.from(' {"big":12345678901234567890, "a":"b"}\n')
    expect(rewrittenAnswer(json, shout)).toBe(json)
    expect(rewrittenAnswer(Buffer.from('{"abc":["qabc",1]}'), shout).toString()).toBe('{"ABCD":["ABCD",1]}')
    expect(rewrittenAnswer(Buffer.from('event: q\ndata: {"cut":"abc'), shout).toString()).toBe(
      'event: \ndata: {"cut":"ABCD',
    )
  })
})

describe('two requests', () => {
  const normal = (body: unknown) =>
    normalisedRequest(
      { method: 'POST', target: '/v1/messages?key=k', headers: [], body: Buffer.from(JSON.stringify(body)) },
      text => text,
    )
  const said = (text: string) => ({ model: 'm', messages: [{ role: 'user', content: text }] })
  const call = (id: string, other: string) => [
    { type: 'tool_use', id, name: 'Read', input: {} },
    { type: 'tool_result', tool_use_id: other, content: 'x' },
  ]

  it.each([
    ['users and sessions', { metadata: { user_id: 'one' } }, { metadata: { user_id: 'two' } }],
    ['keys of a cache', { prompt_cache_key: 'one' }, { prompt_cache_key: 'two' }],
    ['ids of tool calls', call('toolu_1', 'toolu_1'), call('toolu_2', 'toolu_2')],
    ["today's date", said("Today's date is 2026-11-15."), said("Today's date is 2027-01-02.")],
    ['the date in another SDK', said('Current date: 2026-11-15\nx'), said('Current date: 2027-01-02\nx')],
    ['times', said('at 2026-11-15T10:11:12.123Z'), said('at 2026-11-15T10:11:13Z')],
    [
      'sessions in paths',
      said('/tmp/0b0e8a3a-7c0c-4a52-9d2e-0123456789ab/x'),
      said('/tmp/1b0e8a3a-7c0c-4a52-9d2e-0123456789ab/x'),
    ],
  ])('are equal that differ in %s only', (_what, one, other) => {
    expect(normal(one)).toEqual(normal(other))
  })

  it.each([
    ['a byte of a prompt', said('Do it.'), said('Do it!')],
    ['which call a result belongs to', call('toolu_1', 'toolu_1'), call('toolu_1', 'toolu_2')],
    ['other metadata', { metadata: { team: 'one' } }, { metadata: { team: 'two' } }],
    ['a date in a prompt', said('Due on 2026-11-15.'), said('Due on 2026-11-16.')],
  ])('differ that differ in %s', (_what, one, other) => {
    expect(normal(one)).not.toEqual(normal(other))
  })

  it('keep no key of an address', () => {
    expect(normal({})?.path).toBe('/v1/messages?key=[masked]')
  })
})
