import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import {
  type EventWindow,
  emptyWindow,
  eventOfRow,
  eventOfSeq,
  following,
  isKnown,
  lookedAt,
  newRows,
  rowCount,
  rowOfSeq,
  seqOfRow,
  type WindowEvent,
  wantedRange,
  withEvents,
  withFound,
  withLastSeq,
  withLiveEvents,
} from '../src/event-window.ts'

const event = (seq: number): WindowEvent => ({
  seq,
  type: seq % 7 === 0 ? 'error' : 'info',
  timestamp: '2026-01-01T00:00:00.000Z',
})
const isError = ({ type }: WindowEvent): boolean => type === 'error'

/** A journal as a host has it: an answer is bounded, and may lack an event. */
interface Host {
  last: number
  readonly missing: ReadonlySet<number>
  readonly mostAtOnce: number
}

function answer({ last, missing, mostAtOnce }: Host, range: { after: number; limit: number }) {
  const end = Math.min(range.after + range.limit, last)
  const all = Array.from({ length: Math.max(0, end - range.after) }, (_, at) => range.after + 1 + at)
  const events = all.filter(seq => !missing.has(seq)).map(event)
  const isWhole = events.length <= mostAtOnce
  return { events: events.slice(0, mostAtOnce), isWhole }
}

/** Asks until everything in sight is here. */
function filled(window: EventWindow, host: Host, rows: { first: number; end: number }): EventWindow {
  let now = window
  for (let turn = 0; turn < 2_000; turn++) {
    const range = wantedRange(now, rows)
    if (!range) return lookedAt(now, rows)
    now = withEvents(now, range, answer(host, range))
  }
  throw new Error('It never has enough.')
}

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('look' as const), at: fc.nat({ max: 60_000 }) }),
    fc.record({ kind: fc.constant('live' as const), count: fc.integer({ min: 1, max: 900 }) }),
    fc.record({ kind: fc.constant('said' as const), count: fc.integer({ min: 1, max: 900 }) }),
    fc.record({ kind: fc.constant('follow' as const), on: fc.boolean() }),
  ),
  { maxLength: 30 },
)

describe('a window on a journal', () => {
  verifies(
    ['page/event-window'],
    'shows the right event in every row, whatever was scrolled, heard and filtered, and never keeps more than its pages',
    () => {
      const hosts = fc.record({
        last: fc.integer({ min: 0, max: 60_000 }),
        missing: fc.uniqueArray(fc.integer({ min: 1, max: 60_000 }), { maxLength: 5 }),
        mostAtOnce: fc.constantFrom(3, 40, 500),
      })
      fc.assert(
        fc.property(hosts, steps, fc.boolean(), (given, moves, isFiltered) => {
          const host: Host = { ...given, missing: new Set(given.missing) }
          let window = emptyWindow({ lastSeq: host.last, isFiltered })
          const found = Array.from({ length: host.last }, (_, at) => event(at + 1)).filter(isError)
          window = withFound(
            window,
            found.map(({ seq }) => seq),
            true,
          )
          for (const move of moves) {
            if (move.kind === 'follow') window = following(window, move.on)
            if (move.kind === 'live' || move.kind === 'said') {
              const heard = Array.from({ length: move.count }, (_, at) => event(host.last + 1 + at))
              host.last += move.count
              if (move.kind === 'live')
                window = withLiveEvents(
                  window,
                  heard.filter(({ seq }) => !host.missing.has(seq)),
                  isError,
                )
              else if (!isFiltered) window = withLastSeq(window, host.last)
            }
            if (move.kind === 'look' && rowCount(window) > 0) {
              const first = move.at % rowCount(window)
              const rows = { first, end: Math.min(rowCount(window), first + 40) }
              window = filled(window, host, rows)
              for (let row = rows.first; row < rows.end; row++) {
                const seq = seqOfRow(window, row)
                const expected = host.missing.has(seq) ? undefined : event(seq)
                expect(eventOfRow(window, row)).toEqual(expected)
                expect(rowOfSeq(window, seq)).toBe(row)
                if (isFiltered) expect(seq % 7).toBe(0)
              }
            }
            expect(window.pages.size).toBeLessThanOrEqual(window.keptPages)
            const kept = [...window.pages.values()].reduce((sum, { events }) => sum + events.length, 0)
            expect(kept).toBeLessThanOrEqual(20_000)
          }
        }),
        { numRuns: process.env['WEAVE_PROOF'] ? 2_000 : 60 },
      )
    },
  )

  verifies(['page/event-window'], 'forgets the page that was looked at longest ago', () => {
    const host = { last: 100_000, missing: new Set<number>(), mostAtOnce: 500 }
    let window = emptyWindow({ lastSeq: host.last, isFiltered: false })
    const look = (page: number) => {
      window = filled(window, host, { first: page * 500, end: page * 500 + 40 })
    }
    for (let page = 0; page < 38; page++) look(page * 2)
    look(0)
    for (let page = 40; page < 45; page++) look(page * 2)
    expect(isKnown(window, 1)).toBe(true)
    expect(isKnown(window, 2_001)).toBe(false)
  })

  verifies(
    ['page/event-window'],
    'takes live events at the end that it has, and only their number beyond',
    () => {
      const host = { last: 700, missing: new Set<number>(), mostAtOnce: 500 }
      const window = filled(emptyWindow({ lastSeq: 700, isFiltered: false }), host, { first: 660, end: 700 })
      const grown = withLiveEvents(window, [event(701), event(702), event(701)])
      expect([grown.lastSeq, eventOfSeq(grown, 702)]).toEqual([702, event(702)])
      const far = withLiveEvents(emptyWindow({ lastSeq: 700, isFiltered: false }), [event(701)])
      expect([far.lastSeq, far.pages.size]).toEqual([701, 0])
    },
  )

  verifies(['page/event-window'], 'counts what came since it stopped following', () => {
    const opened = withLastSeq(emptyWindow({ lastSeq: 0, isFiltered: false }), 500)
    expect([newRows(opened), newRows(withLastSeq(opened, 502))]).toEqual([0, 2])
    const start = following(emptyWindow({ lastSeq: 10, isFiltered: false }), true)
    const followed = withLiveEvents(start, [event(11)])
    expect(newRows(followed)).toBe(0)
    const left = withLiveEvents(following(followed, false), [event(12), event(13)])
    expect([newRows(left), newRows(following(left, true))]).toEqual([2, 0])
  })

  verifies(
    ['page/event-window'],
    'knows a page from its middle on, and asks for the beginning when it is looked at',
    () => {
      const host: Host = { last: 1_203, missing: new Set(), mostAtOnce: 500 }
      const range = { after: 703, limit: 500 }
      const window = withEvents(
        emptyWindow({ lastSeq: 1_203, isFiltered: false }),
        range,
        answer(host, range),
      )
      expect([isKnown(window, 704), isKnown(window, 1_203), isKnown(window, 703)]).toEqual([
        true,
        true,
        false,
      ])
      expect(wantedRange(window, { first: 600, end: 640 })).toEqual({ after: 500, limit: 203 })
      expect(eventOfSeq(filled(window, host, { first: 600, end: 640 }), 601)).toEqual(event(601))
    },
  )
})

test('what is heard live while a search is under way takes nothing from what it still finds', () => {
  const heard = [event(900), event(910)]
  let window = withFound(emptyWindow({ lastSeq: 899, isFiltered: true }), [7, 14])
  window = withLiveEvents(window, heard, () => true)
  window = withFound(window, [21, 700])
  window = withFound(window, [899, 900, 905], true)
  expect([...(window.found?.seqs ?? [])]).toEqual([7, 14, 21, 700, 899, 900, 905, 910])
})

test('what a search finds behind the last event that was heard of can be asked for', () => {
  const window = withFound(emptyWindow({ lastSeq: 100, isFiltered: true }), [99, 205], true)
  const range = wantedRange(window, { first: 1, end: 2 })
  expect(range).toBeDefined()
  const filledUp = withEvents(window, range ?? { after: 0, limit: 0 }, { events: [], isWhole: true })
  expect(wantedRange(filledUp, { first: 1, end: 2 })?.after).not.toBe(range?.after)
})
