import type { ReportEvents } from '@weave/protocol'
import { describe, expect, test } from 'vitest'
import { fittingEvents } from '../../src/report/event-filter.ts'

const events: ReportEvents = {
  leftOut: 0,
  types: ['assistant.action', 'state.transition', 'error'],
  codons: ['draft', 'review#0'],
  startMs: 0,
  seq: [1, 2, 3, 4],
  at: [0, 1, 2, 3],
  type: [0, 1, 2, 0],
  codon: [0, 0, -1, 1],
  tools: [],
  line: ['Read the Notes', 'CostsUpdated of draft', 'warning: slow', 'Write a file'],
  more: { '4': 'and a Secret ending' },
}

const everything = { words: '', type: '', codon: '', all: true }

describe('the search in events', () => {
  test('hides what only programs need, unless it is asked for', () => {
    expect(fittingEvents(events, { ...everything, all: false })).toEqual([0, 2, 3])
    expect(fittingEvents(events, everything)).toEqual([0, 1, 2, 3])
    expect(fittingEvents(events, { ...everything, all: false, type: 'state.transition' })).toEqual([1])
  })

  test('wants all words, in any order and case, in the line, the type or the rest of the text', () => {
    expect(fittingEvents(events, { ...everything, words: 'notes READ' })).toEqual([0])
    expect(fittingEvents(events, { ...everything, words: 'secret file' })).toEqual([3])
    expect(fittingEvents(events, { ...everything, words: 'error slow' })).toEqual([2])
    expect(fittingEvents(events, { ...everything, words: 'read slow' })).toEqual([])
  })

  test('keeps to a codon; what belongs to none belongs to none', () => {
    expect(fittingEvents(events, { ...everything, codon: 'draft' })).toEqual([0, 1])
    expect(fittingEvents(events, { ...everything, codon: 'review#0', type: 'assistant.action' })).toEqual([3])
    expect(fittingEvents(events, { ...everything, codon: 'nobody' })).toEqual([])
  })
})
