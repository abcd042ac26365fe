import { describe, expect } from 'vitest'
import { isFailure, type WindowEvent } from 'weave-client'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { failuresFirst, fittingExecutions } from '../../src/dashboard/execution-filter.ts'
import { filterOf, fitsStream, isEmptyFilter } from '../../src/dashboard/stream-filter.ts'
import { row } from './attempts.ts'

const event = (type: string, data: object): WindowEvent => ({ seq: 1, type, timestamp: '', data })

describe('the filter of the list', () => {
  const rows = [
    row('a', { status: 'failed', cost: 2 }),
    row('b', { live: true, hank: 'Other', warnings: 3 }),
    row('c', { waits: { gate: 'ok', since: '', seq: 1 }, cost: 0.5 }),
    row('d', { status: 'crashed' }),
  ]
  const names = (words: string) => fittingExecutions(rows, words).map(({ name }) => name)

  verifies(['page/list-filter'], 'takes fields, amounts and words, and wants all of them', () => {
    expect(names('')).toEqual(['a', 'b', 'c', 'd'])
    expect(names('status:failed')).toEqual(['a'])
    expect(names('status:live')).toEqual(['b'])
    expect(names('status:waits')).toEqual(['c'])
    expect(names('hank:other')).toEqual(['b'])
    expect(names('cost:>1')).toEqual(['a'])
    expect(names('cost:<=0.5')).toEqual(['c'])
    expect(names('warnings:3 other')).toEqual(['b'])
    expect(names('guide cost:>1 status:completed')).toEqual([])
    expect(names('unknown:thing')).toEqual([])
  })

  verifies(['page/list-filter'], 'puts what failed first and keeps the order of the rest', () => {
    expect(failuresFirst(rows).map(({ name }) => name)).toEqual(['a', 'd', 'b', 'c'])
  })
})

describe('the filter of the stream', () => {
  verifies(
    ['page/filter'],
    'is read off the address and lets live events through as the host does those of the past',
    () => {
      expect(isEmptyFilter(filterOf({}))).toBe(true)
      const fits = fitsStream(
        filterOf({ q: 'Notes', type: 'tool.result,error', codon: 'draft', failed: '1' }),
      )
      const data = { codonId: 'draft#2', result: 'no NOTES here', isError: true }
      expect(fits(event('tool.result', data))).toBe(true)
      expect(fits(event('tool.result', { ...data, isError: false }))).toBe(false)
      expect(fits(event('tool.result', { ...data, codonId: 'drafts' }))).toBe(false)
      expect(fits(event('tool.result', { ...data, result: '' }))).toBe(false)
      expect(fits(event('codon.retrying', data))).toBe(false)
    },
  )

  verifies(['page/filter'], 'knows a failure', () => {
    const failures = [
      event('codon.completed', { success: false }),
      event('run.completed', { status: 'failed' }),
      event('rig.operation', { ok: false }),
      event('error', {}),
      event('budget.exceeded', {}),
    ]
    const fine = [event('codon.completed', { success: true }), event('tool.result', {}), event('info', {})]
    expect([...failures, ...fine].filter(isFailure)).toEqual(failures)
  })
})
