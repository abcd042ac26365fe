import { describe, expect, it } from 'vitest'
import { type Checkpoint, emptyView, type FileChange, type View } from 'weave-client'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { askForceStop, askRedo, askRollback, askSkip, checkpointName } from '../../src/model/questions.ts'

const time = new Date(2026, 0, 1, 10, 0, 0).toISOString()
const now = Date.parse(time) + 125_000
const checkpoint: Checkpoint = {
  sha: '0123456789abcdef',
  runId: 'r1',
  codonId: 'draft',
  type: 'completed',
  time,
}
const waiting: View = { ...emptyView, waiting: { codonId: 'review#1' } as NonNullable<View['waiting']> }
const changed = (count: number): readonly FileChange[] =>
  Array.from({ length: count }, (_, index) => ({
    path: `f${index}.md`,
    action: 'modified',
    changes: 1,
    time: new Date(2026, 0, 1, 10, 1, 0).toISOString(),
  }))

const codon = {
  codonId: 'review',
  codonName: 'Review',
  attempt: 1,
  model: 'sonnet',
  status: 'completed',
  exitStatus: { type: 'success' },
  cost: 0,
  tokens: { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 },
  assistantMessageCount: 0,
  extensionCount: 0,
  checkpoints: {},
} as const
const failure = {
  status: 'failed',
  exitStatus: { type: 'error', code: 1 },
  failureReason: { type: 'unknown', retriable: false },
  failedDuring: 'running',
} as const

describe('questions before something is cut short', () => {
  it.each([
    ['skip', askSkip, 'Skip review#1?', 'codon.skip'],
    ['stop', askForceStop, 'Stop review#1 at once?', 'codon.forceStop'],
  ] as const)('%s names the codon that runs or waits', (_, ask, title, type) => {
    const question = ask(waiting)
    expect(question?.title).toBe(title)
    expect(question?.answers.map(({ key, command }) => [key, command.type])).toEqual([['y', type]])
    expect(ask(emptyView)).toBeUndefined()
  })

  it('doing a codon again can always be asked for', () => {
    expect(askRedo(emptyView).answers.map(({ command }) => command.type)).toEqual(['codon.redo'])
  })
})

describe('the question before a rollback', () => {
  verifies(['fork/screen'], 'gives commands to copy that leave the execution alone', () => {
    const server = { executionPath: '/runs/guide-20260101-100000-abcdef' } as NonNullable<View['server']>
    const { lines } = askRollback({ ...emptyView, server }, checkpoint, now)
    expect(lines.slice(-3)).toEqual([
      '  weave fork guide-20260101-100000-abcdef --at 0123456789',
      '  weave bisect guide-20260101-100000-abcdef --good 0123456789 -- <command>',
      '  weave compare guide-20260101-100000-abcdef@0123456789 guide-20260101-100000-abcdef',
    ])
  })

  it('says when the checkpoint was made and offers to wait or to go on', () => {
    const { lines, answers } = askRollback(emptyView, checkpoint, now)
    expect(lines[0]).toBe('Made 10:00:00, 2m 05s ago, as 0123456789.')
    expect(lines).toContain('No codon would be undone.')
    expect(lines).toContain('No change of a checkpointed file since then is known here.')
    expect(answers.map(({ key, command }) => [key, command.data])).toEqual([
      ['y', { checkpointSha: checkpoint.sha, autoRestart: false }],
      ['a', { checkpointSha: checkpoint.sha, autoRestart: true }],
    ])
  })

  it('names outputs of undone codons, which stay', () => {
    const at = (minute: number) => new Date(2026, 0, 1, 10, minute, 0).toISOString()
    const record = { ...codon, startTime: at(1), endTime: at(3) }
    const view: View = {
      ...emptyView,
      machine: { ...emptyView.machine, settled: [record] },
      outputs: [
        { codonId: 'review', time: at(2), directory: '/results', files: ['a.md', 'b.md'], count: 9 },
        { codonId: 'review', time: at(9), directory: '/other', files: ['c.md'], count: 1 },
      ],
    }
    const { lines } = askRollback(view, checkpoint, now)
    expect(lines).toContain('Undone: review.')
    const from = lines.indexOf('Outputs stay in /results:')
    expect(lines.slice(from + 1, from + 5)).toEqual([
      '  a.md of review',
      '  b.md of review',
      '  and 7 more',
      '  Outputs of the same name are put beside them as name_1_<time>.',
    ])
    const failed = { ...view, machine: { ...view.machine, settled: [{ ...record, ...failure }] } }
    expect(askRollback(failed, checkpoint, now).lines.join()).not.toContain('Outputs stay')
  })

  it.each([
    [1, ['  modified f0.md'], undefined],
    [12, undefined, undefined],
    [15, undefined, '  and 3 more'],
  ] as const)('with %i changed files', (count, named, more) => {
    const { lines } = askRollback({ ...emptyView, files: changed(count) }, checkpoint, now)
    const files = lines.filter(text => text.startsWith('  modified'))
    expect(lines).toContain('Changed since then:')
    if (named) expect(files).toEqual(named)
    expect(files).toHaveLength(Math.min(12, count))
    expect(lines.find(text => text.startsWith('  and'))).toBe(more)
  })
})

it.each([
  [undefined, 'completed', 'the beginning'],
  ['draft', 'rig-setup', 'draft (after its rig)'],
  ['draft', 'completed', 'draft (completed)'],
  ['draft', 'error', 'draft (failed)'],
  ['draft', 'skipped', 'draft (skipped)'],
] as const)('a checkpoint of %s of type %s is called %s', (codonId, type, name) => {
  expect(checkpointName({ ...checkpoint, codonId, type })).toBe(name)
})
