import type { JournaledEvent } from '@weave/protocol'
import { describe, expect, test } from 'vitest'
import { createEventColumns } from '../../src/report/event-columns.ts'

function said(seq: number, content: string, codonId = 'a'): JournaledEvent {
  const timestamp = new Date(1_000_000 + seq).toISOString()
  return {
    id: `e${seq}`,
    seq,
    timestamp,
    type: 'assistant.action',
    data: { codonId, action: 'message', content },
  }
}

const bounds = { maxEvents: 5, maxLine: 20, maxMore: 60, maxMoreTotal: 130 }

describe('events by column', () => {
  test('are the newest that fit, with the number of those that do not', () => {
    const columns = createEventColumns(bounds)
    for (let seq = 1; seq <= 23; seq++) columns.add(said(seq, `text ${seq}`, seq % 2 === 0 ? 'a' : 'b'))
    const result = columns.result()
    expect(result).toMatchObject({
      leftOut: 18,
      types: ['assistant.action'],
      codons: ['b', 'a'],
      startMs: 1_000_019,
    })
    expect(result.seq).toEqual([19, 20, 21, 22, 23])
    expect(result.at).toEqual([0, 1, 2, 3, 4])
    expect(result.codon).toEqual([0, 1, 0, 1, 0])
    expect(result.line[4]).toBe('text 23')
    expect(result.more).toEqual({})
  })

  test('keep more of a long text, bounded each and in all, the newest first, and harmless', () => {
    const columns = createEventColumns(bounds)
    for (let seq = 1; seq <= 4; seq++) columns.add(said(seq, `${seq}\u202e${'long '.repeat(40)}`))
    const { line, more } = columns.result()
    expect(line.every(text => text.length <= 20)).toBe(true)
    expect(Object.keys(more)).toEqual(['4'])
    expect(more['4']).toMatch(/^4\\u\{202e\}long .*…$/)
    expect(JSON.stringify(more)).not.toContain('\u202e')
  })
})
