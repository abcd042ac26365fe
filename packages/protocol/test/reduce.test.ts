import { describe, expect, test } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import {
  currentRun,
  emptyState,
  isLive,
  liveCodon,
  parseTransition,
  reduce,
  summarize,
  type Transition,
} from '../src/index.ts'
import { deepFrozen } from './deep-frozen.ts'
import {
  after,
  at,
  codonStarted,
  cost,
  folded,
  lastCodon,
  liveStatuses,
  moved,
  noTokens,
  refusal,
  runCompleted,
  runCrashed,
  runFailed,
  runStarted,
  sentinelStates,
  tokens,
  toStatus,
  withCodon,
} from './samples.ts'

describe('runs', () => {
  test('RunStarted opens an empty run and makes it the current one', () => {
    const from = { type: 'continuation', runId: 'r0', codonId: 'draft', checkpoint: 'abc123' } as const
    expect(folded(runStarted('r1', from))).toEqual({
      currentRunId: 'r1',
      totalCost: 0,
      runs: [
        {
          runId: 'r1',
          startTime: at(0),
          gitBranch: 'run-r1',
          startedFrom: from,
          status: 'running',
          codons: [],
          cost: 0,
        },
      ],
    })
  })

  test('RunStarted is refused while a run is running and for an id that was used before', () => {
    expect(refusal(folded(runStarted('r1')), runStarted('r2'))).toBe('run r1 has not ended')
    const ended = folded(runStarted('r1'), runCompleted('r1'), runStarted('r2'), runFailed('r2'))
    expect(refusal(ended, runStarted('r1'))).toBe('run r1 exists already')
  })

  test.each([
    [runCompleted(), { status: 'completed', endTime: at(50) }],
    [runCompleted('r1', 'stopped'), { status: 'stopped', endTime: at(50) }],
    [
      { type: 'RunCompleted', data: { runId: 'r1', endTime: at(50), outcome: 'stopped', reason: 'SIGINT' } },
      { status: 'stopped', endTime: at(50), reason: 'SIGINT' },
    ],
    [runFailed(), { status: 'failed', endTime: at(50), reason: 'draft failed' }],
    [runCrashed(), { status: 'crashed', endTime: at(55) }],
  ] as [Transition, object][])('$0.type ends the run as $1.status', (transition, end) => {
    const { status: _running, ...run } = folded(runStarted()).runs[0] ?? {}
    expect(folded(runStarted(), transition).runs).toStrictEqual([{ ...run, ...end }])
  })

  test('a run does not complete or fail while its codon is live', () => {
    for (const status of liveStatuses) {
      for (const end of [runCompleted(), runCompleted('r1', 'stopped'), runFailed()]) {
        expect(refusal(withCodon(status), end)).toBe('codon draft has not ended')
      }
    }
  })

  test('only the running run can end, and it ends once', () => {
    const ends = [runCompleted(), runFailed(), runCrashed()]
    for (const end of ends) {
      expect(refusal(emptyState, end)).toBe('no run is running')
      expect(refusal(folded(runStarted('r2')), end)).toBe('run r1 is not the running one')
      for (const first of ends) expect(refusal(folded(runStarted(), first), end)).toBe('no run is running')
    }
  })

  test('a crash ends the live codon as failed, whatever it was doing', () => {
    for (const status of liveStatuses) {
      const before = after(withCodon(status), cost(0.5))
      const crashed = after(before, runCrashed())
      expect(currentRun(crashed)).toMatchObject({ status: 'crashed', endTime: at(55), cost: 0.5 })
      expect(lastCodon(crashed)).toStrictEqual({
        ...lastCodon(before),
        status: 'failed',
        failedDuring: status,
        endTime: at(55),
        exitStatus: { type: 'killed', signal: 'SIGKILL' },
        failureReason: {
          type: 'unknown',
          retriable: true,
          message: 'The server ended while this codon was running.',
        },
      })
      expect(liveCodon(crashed)).toBeUndefined()
    }
  })

  test('a crash leaves codons that had ended as they were', () => {
    for (const status of ['completed', 'failed', 'skipped'] as const) {
      const before = withCodon(status)
      expect(currentRun(after(before, runCrashed()))?.codons).toStrictEqual(currentRun(before)?.codons)
    }
  })

  test('InitialCheckpointSet is kept once, before the first codon', () => {
    const set = (runId: string, sha: string): Transition => ({
      type: 'InitialCheckpointSet',
      data: { runId, sha },
    })
    const state = folded(runStarted(), set('r1', 'aaaa'))
    expect(currentRun(state)).toMatchObject({ initialCheckpoint: 'aaaa' })
    expect(refusal(state, set('r1', 'bbbb'))).toBe('run r1 has its initial checkpoint already')
    expect(refusal(folded(runStarted(), set('r1', '')), set('r1', 'bbbb'))).toBe(
      'run r1 has its initial checkpoint already',
    )
    expect(refusal(withCodon('preparing'), set('r1', 'aaaa'))).toBe('run r1 has started codons already')
    expect(refusal(state, set('r2', 'aaaa'))).toBe('run r2 is not the running one')
    expect(refusal(emptyState, set('r1', 'aaaa'))).toBe('no run is running')
  })
})

describe('codons', () => {
  test('CodonStarted appends a fresh record that is being prepared', () => {
    const data = {
      ...codonStarted('review#1').data,
      loopContext: { loopId: 'loop', iteration: 1, codonIndexInLoop: 0 },
      previousSessionId: 's0',
    }
    const state = after(withCodon('completed'), { type: 'CodonStarted', data })
    expect(currentRun(state)?.codons).toHaveLength(2)
    expect(lastCodon(state)).toStrictEqual({
      ...data,
      status: 'preparing',
      cost: 0,
      tokens: noTokens,
      assistantMessageCount: 0,
      extensionCount: 0,
      checkpoints: {},
    })
  })

  test('CodonStarted is refused without a run and while another codon is live', () => {
    expect(refusal(emptyState, codonStarted())).toBe('no run is running')
    expect(refusal(folded(runStarted(), runCompleted()), codonStarted())).toBe('no run is running')
    for (const status of liveStatuses) {
      expect(refusal(withCodon(status), codonStarted('review'))).toBe('codon draft has not ended')
      expect(refusal(withCodon(status), codonStarted('draft', 2))).toBe('codon draft has not ended')
    }
  })

  verifies(
    ['d4/retry-appends-record', 'd4/codon-attempt'],
    'a retry appends a record that counts on from the first attempt, and the earlier record stays',
    () => {
      const first = after(withCodon('running'), cost(0.25), moved('failed'))
      const second = after(first, codonStarted('draft', 2))
      expect(currentRun(second)?.codons[0]).toStrictEqual(lastCodon(first))
      expect(lastCodon(second)).toMatchObject({ codonId: 'draft', attempt: 2, cost: 0, status: 'preparing' })
      const third = after(second, cost(0.5), moved('failed'), codonStarted('draft', 3), cost(1))
      expect(currentRun(third)?.codons.map(codon => [codon.attempt, codon.cost])).toEqual([
        [1, 0.25],
        [2, 0.5],
        [3, 1],
      ])
      expect(third.totalCost).toBe(1.75)
      expect(refusal(folded(runStarted()), codonStarted('draft', 2))).toBe(
        'attempt 2 of draft does not follow attempt 0',
      )
      expect(refusal(first, codonStarted('draft', 3))).toBe('attempt 3 of draft does not follow attempt 1')
      expect(refusal(first, codonStarted('review', 2))).toBe('attempt 2 of review does not follow attempt 0')
      expect(parseTransition(codonStarted('draft', 0))).toHaveProperty('problem')
      expect(lastCodon(after(third, moved('failed'), codonStarted('draft', 1))).attempt).toBe(1)
    },
  )

  test('a transition of a codon changes its newest record only', () => {
    const state = folded(runStarted(), ...toStatus('failed'), ...toStatus('running', 'draft', 2), cost(3))
    const [first, second] = currentRun(state)?.codons ?? []
    expect([first?.status, first?.cost]).toEqual(['failed', 0])
    expect([second?.status, second?.cost]).toEqual(['running', 3])
  })

  test('CheckpointCreated keeps one sha of each type', () => {
    const create = (checkpointType: 'rig-setup' | 'error', sha: string): Transition => ({
      type: 'CheckpointCreated',
      data: { codonId: 'draft', checkpointType, sha },
    })
    const state = after(withCodon('failed'), create('rig-setup', 'aaaa'), create('error', 'bbbb'))
    expect(lastCodon(state).checkpoints).toEqual({ 'rig-setup': 'aaaa', error: 'bbbb' })
    expect(refusal(state, create('error', 'cccc'))).toBe('draft has a error checkpoint already')
    const nameless = after(withCodon('failed'), create('error', ''))
    expect(refusal(nameless, create('error', 'cccc'))).toBe('draft has a error checkpoint already')
  })

  test('AssistantMessageCountUpdated sets counts that never go back', () => {
    const update = (count: number, extensionCount?: number): Transition => ({
      type: 'AssistantMessageCountUpdated',
      data: { codonId: 'draft', count, ...(extensionCount === undefined ? {} : { extensionCount }) },
    })
    const state = after(withCodon('running'), update(3, 1), update(4))
    expect(lastCodon(state)).toMatchObject({ assistantMessageCount: 4, extensionCount: 1 })
    expect(after(state, update(4, 1))).toStrictEqual(state)
    expect(refusal(state, update(3))).toBe('counts of draft cannot go back')
    expect(refusal(state, update(9, 0))).toBe('counts of draft cannot go back')
  })

  test('a codon that has not started in this run cannot be changed', () => {
    const strangers: readonly Transition[] = [
      cost(1, 'nobody'),
      { type: 'CostsUpdated', data: { codonId: 'nobody', cost: 1, tokens: noTokens } },
      { type: 'CodonFinalCostSet', data: { codonId: 'nobody', cost: 1 } },
      { type: 'AssistantMessageCountUpdated', data: { codonId: 'nobody', count: 1 } },
      { type: 'CheckpointCreated', data: { codonId: 'nobody', checkpointType: 'error', sha: 'aaaa' } },
      sentinelStates([1], 'nobody'),
    ]
    const nextRun = folded(runStarted(), ...toStatus('completed', 'nobody'), runCompleted(), runStarted('r2'))
    for (const transition of strangers) {
      expect(refusal(withCodon('running'), transition)).toBe('codon nobody has not started in this run')
      expect(refusal(nextRun, transition)).toBe('codon nobody has not started in this run')
      expect(refusal(emptyState, transition)).toBe('no run is running')
    }
    expect(refusal(withCodon('running'), moved('skipped', 'nobody'))).toBe('codon nobody is not running')
  })
})

describe('money', () => {
  const used = tokens(1_000, 200)

  test('CostsIncremented adds to the codon, its run and the whole', () => {
    const state = after(withCodon('running'), cost(0.1, 'draft', used), cost(0.2, 'draft', used))
    expect(lastCodon(state).cost).toBeCloseTo(0.3, 12)
    expect(lastCodon(state).tokens).toEqual(tokens(2_000, 400))
    expect(summarize(state)).toEqual({ currentRunId: 'r1', runCount: 1, totalCost: 0.3, currentRunCost: 0.3 })
  })

  test('CostsUpdated replaces what the codon has cost so far', () => {
    const update: Transition = { type: 'CostsUpdated', data: { codonId: 'draft', cost: 0.2, tokens: used } }
    const state = after(withCodon('running'), cost(5), update)
    expect(lastCodon(state)).toMatchObject({ cost: 0.2, tokens: used })
    expect([currentRun(state)?.cost, state.totalCost]).toEqual([0.2, 0.2])
  })

  test('CodonFinalCostSet replaces the running sum also after the end, and keeps tokens it does not name', () => {
    const final = (data: object = {}): Transition => ({
      type: 'CodonFinalCostSet',
      data: { codonId: 'draft', cost: 0.7, ...data },
    })
    const running = after(withCodon('running'), cost(5, 'draft', used))
    const ended = after(running, moved('completing-sentinels'), moved('completed'))
    for (const state of [running, ended]) {
      expect(lastCodon(after(state, final()))).toStrictEqual({ ...lastCodon(state), cost: 0.7 })
      expect(after(state, final()).totalCost).toBe(0.7)
      expect(lastCodon(after(state, final({ tokens: noTokens }))).tokens).toEqual(noTokens)
    }
  })

  test('a cost that is partly unknown stays so until the final cost says otherwise', () => {
    const unknownCost: Transition = {
      type: 'CostsIncremented',
      data: { codonId: 'draft', cost: 0, tokens: used, costUnknown: true },
    }
    const state = after(withCodon('running'), unknownCost, cost(1))
    expect(lastCodon(state)).toMatchObject({ cost: 1, costUnknown: true })
    const update: Transition = { type: 'CostsUpdated', data: { codonId: 'draft', cost: 2, tokens: used } }
    expect(lastCodon(after(state, update)).costUnknown).toBe(true)
    const known: Transition = { type: 'CodonFinalCostSet', data: { codonId: 'draft', cost: 1 } }
    expect(lastCodon(after(state, known))).not.toHaveProperty('costUnknown')
    const unknown: Transition = {
      type: 'CodonFinalCostSet',
      data: { codonId: 'draft', cost: 1, costUnknown: true },
    }
    expect(lastCodon(after(withCodon('running'), unknown)).costUnknown).toBe(true)
  })

  test('sentinels count into the run and not into the codon', () => {
    const state = after(withCodon('running'), cost(1), sentinelStates([0.1, 0.2]), sentinelStates([0.1, 0.4]))
    expect(lastCodon(state).cost).toBe(1)
    expect([currentRun(state)?.cost, state.totalCost]).toEqual([1.5, 1.5])
    expect(after(state, sentinelStates([])).totalCost).toBe(1)
  })

  test('ten thousand small costs add up without dust', () => {
    const state = after(withCodon('running'), ...Array.from({ length: 10_000 }, () => cost(0.000_1)))
    expect([currentRun(state)?.cost, state.totalCost]).toEqual([1, 1])
  })

  test('the money of a run that was rolled back stays spent', () => {
    const first = folded(runStarted('r1'), ...toStatus('running'), cost(2), moved('failed'))
    const rolledBack = after(
      first,
      runCompleted('r1', 'stopped'),
      runStarted('r2', { type: 'continuation', runId: 'r1', codonId: 'draft', checkpoint: 'aaaa' }),
      { type: 'InitialCheckpointSet', data: { runId: 'r2', sha: 'aaaa' } },
      ...toStatus('running'),
      cost(3),
    )
    expect(rolledBack.runs.map(run => run.cost)).toEqual([2, 3])
    expect(summarize(rolledBack)).toEqual({
      currentRunId: 'r2',
      runCount: 2,
      totalCost: 5,
      currentRunCost: 3,
    })
  })

  test('an empty state sums up to nothing', () => {
    expect(summarize(emptyState)).toEqual({
      currentRunId: null,
      runCount: 0,
      totalCost: 0,
      currentRunCost: 0,
    })
    expect([currentRun(emptyState), liveCodon(emptyState)]).toEqual([undefined, undefined])
  })
})

verifies(
  ['d4/reduce-pure'],
  'an accepted transition shares what it did not change and leaves both arguments as they were',
  () => {
    const before = deepFrozen(
      folded(runStarted('r1'), runFailed('r1'), runStarted('r2'), ...toStatus('running')),
    )
    const transition = deepFrozen(cost(1))
    const [one, two] = [reduce(before, transition), reduce(before, transition)]
    expect(one).toStrictEqual(two)
    if (!one.ok) throw new Error(one.reason)
    expect(one.state.runs[0]).toBe(before.runs[0])
    expect(before.totalCost).toBe(0)
  },
)

test('a codon is live in five statuses, and liveCodon finds it', () => {
  for (const status of liveStatuses) {
    expect(isLive(lastCodon(withCodon(status)))).toBe(true)
    expect(liveCodon(withCodon(status))).toMatchObject({ codonId: 'draft', status })
  }
  for (const status of ['completed', 'failed', 'skipped'] as const) {
    expect(isLive(lastCodon(withCodon(status)))).toBe(false)
    expect(liveCodon(withCodon(status))).toBeUndefined()
  }
})
