import * as fc from 'fast-check'
import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { type BisectStep, changesIn, nextStep, type Verdict } from '../../src/versions/bisect-search.ts'
import { judge } from '../../src/versions/bisect-verdict.ts'
import { candidatesOf, type ThreadVersion } from '../../src/versions/thread-versions.ts'

/** Searches in a row whose truth is known. */
function searched(truth: readonly Verdict[]): {
  readonly step: BisectStep
  readonly tested: readonly number[]
} {
  const verdicts: (Verdict | undefined)[] = truth.map(() => undefined)
  const tested: number[] = []
  for (;;) {
    const step = nextStep(verdicts)
    if (step.kind !== 'test') return { step, tested }
    if (verdicts[step.at] !== undefined) throw new Error(`${step.at} was tested twice`)
    verdicts[step.at] = truth[step.at]
    tested.push(step.at)
  }
}

const row = (good: number, bad: number): readonly Verdict[] => [
  ...Array.from({ length: good }, () => 'good' as const),
  ...Array.from({ length: bad }, () => 'bad' as const),
]

describe('the search of a bisect', () => {
  verifies(['bisect/few-checks'], 'finds every fault in every row with no more tests than are needed', () => {
    for (let length = 2; length <= 70; length++)
      for (let good = 1; good < length; good++) {
        const { step, tested } = searched(row(good, length - good))
        expect(step).toEqual({ kind: 'found', good: good - 1, bad: good })
        expect(tested.length).toBeLessThanOrEqual(Math.ceil(Math.log2(length - 1)) + 2)
      }
    expect(
      Math.max(...Array.from({ length: 64 }, (_, at) => searched(row(at + 1, 64 - at)).tested.length)),
    ).toBe(8)
  })

  verifies(['bisect/nothing-to-find'], 'says so when there is nothing to find', () => {
    expect(searched(row(0, 4)).step).toEqual({ kind: 'bad-at-beginning', at: 0 })
    expect(searched(row(4, 0)).step).toEqual({ kind: 'good-at-end', at: 3 })
    expect(searched(row(1, 0))).toEqual({ step: { kind: 'good-at-end', at: 0 }, tested: [0] })
    expect(searched(['skip', 'skip']).step).toEqual({ kind: 'all-skipped' })
  })

  verifies(
    ['bisect/skip'],
    'ends with any verdicts, tests none twice, and is right about what it says',
    () => {
      const verdict = fc.constantFrom<Verdict>('good', 'bad', 'skip')
      fc.assert(
        fc.property(fc.array(verdict, { minLength: 1, maxLength: 80 }), truth => {
          const { step } = searched(truth)
          if (step.kind === 'found' || step.kind === 'range') {
            expect(truth[step.good]).toBe('good')
            expect(truth[step.bad]).toBe('bad')
            for (const between of truth.slice(step.good + 1, step.bad)) expect(between).toBe('skip')
            expect(step.kind).toBe(step.bad - step.good === 1 ? 'found' : 'range')
          }
        }),
      )
    },
  )

  verifies(['bisect/skip'], 'finds the fault of a row with skips, or the range in which it is', () => {
    const skips = fc.array(fc.boolean(), { minLength: 2, maxLength: 80 })
    fc.assert(
      fc.property(skips, fc.nat(), (skipped, at) => {
        const good = 1 + (at % (skipped.length - 1))
        const plain = row(good, skipped.length - good)
        const last = plain.length - 1
        const truth = plain.map((verdict, place) =>
          skipped[place] && place > 0 && place < last ? 'skip' : verdict,
        )
        const { step } = searched(truth)
        expect(['found', 'range']).toContain(step.kind)
        if (step.kind !== 'found' && step.kind !== 'range') return
        expect(step.good).toBeLessThan(good)
        expect(step.bad).toBeGreaterThanOrEqual(good)
      }),
    )
  })

  verifies(['bisect/all'], 'knows how often a row changes', () => {
    expect(changesIn(['good', 'skip', 'good', 'bad'])).toBe(1)
    expect(changesIn(['good', 'bad', 'good', undefined, 'bad'])).toBe(3)
  })
})

describe('the end of a command', () => {
  const exited = (code: number) => judge({ outcome: 'exited', code, signal: null }).verdict
  verifies(['bisect/exit-codes'], 'is a verdict as git has it', () => {
    const verdicts = Array.from({ length: 256 }, (_, code) => exited(code))
    expect(verdicts[0]).toBe('good')
    expect(verdicts[125]).toBe('skip')
    expect(verdicts.slice(1, 125).every(verdict => verdict === 'bad')).toBe(true)
    expect(verdicts.slice(126).every(verdict => verdict === 'stop')).toBe(true)
    expect(judge({ outcome: 'signaled', code: null, signal: 'SIGSEGV' }).verdict).toBe('stop')
    const late = {
      outcome: 'signaled',
      code: null,
      signal: 'SIGKILL',
      stopped: { reason: 'timeout' },
    } as const
    expect(judge(late).verdict).toBe('bad')
    const missing = {
      outcome: 'failed-to-start',
      code: null,
      signal: null,
      error: { message: 'no such' },
    } as const
    expect(judge(missing)).toEqual({ verdict: 'stop', message: 'The command cannot be run: no such.' })
  })
})

verifies(
  ['bisect/candidates'],
  'of neighbours with the same files the first counts; rigs and bad ends as asked',
  () => {
    const at = (sha: string, type: ThreadVersion['type']): ThreadVersion => ({ sha, type, codonId: sha })
    const versions = [
      at('s', 'start'),
      at('r', 'rig-setup'),
      at('a', 'completed'),
      at('b', 'error'),
      at('c', 'skipped'),
      at('d', 'completed'),
    ]
    const shas = (
      rules: { readonly rigs: boolean; readonly completedOnly: boolean },
      same: readonly string[] = [],
    ) =>
      candidatesOf(versions, new Map(versions.map(({ sha }) => [sha, same.includes(sha) ? 'same' : sha])), {
        ...rules,
        named: new Set(),
      })
        .map(({ sha }) => sha)
        .join('')
    expect(shas({ rigs: false, completedOnly: false })).toBe('sabcd')
    expect(shas({ rigs: true, completedOnly: false })).toBe('srabcd')
    expect(shas({ rigs: false, completedOnly: true })).toBe('sad')
    expect(shas({ rigs: false, completedOnly: false }, ['a', 'b', 'd'])).toBe('sacd')
  },
)
