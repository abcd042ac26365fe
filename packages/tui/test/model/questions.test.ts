import { describe, expect, it } from 'vitest'
import { type Checkpoint, emptyView, type FileChange, type View } from 'weave-client'
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
