import type { ServerEvent } from '@weave/protocol'
import { expect, test } from 'vitest'
import { reduceView } from '../src/view.ts'
import { currentCheckpoints, rollbackPreview } from '../src/view-machine.ts'
import { type Checkpoint, emptyView } from '../src/view-model.ts'
import { story } from './story.ts'

const viewOf = (events: readonly ServerEvent[]) => events.reduce(reduceView, emptyView)
const checkpoint = (view: ReturnType<typeof viewOf>, sha: string): Checkpoint => {
  const found = view.checkpoints.find(each => each.sha === sha)
  if (!found) throw new Error(`no checkpoint ${sha}`)
  return found
}

function threeCodons() {
  const told = story()
  told.startRun('run-1')
  told.move({ type: 'InitialCheckpointSet', data: { runId: 'run-1', sha: 'first' } })
  told.run('draft')
  told.tell('file.updated', { path: 'a.md', filename: 'a.md', content: '', action: 'created' })
  told.run('review#0')
  told.tell('file.updated', { path: 'b.md', filename: 'b.md', content: '', action: 'modified' })
  told.start('fix#0')
  told.move({
    type: 'CheckpointCreated',
    data: { codonId: 'fix#0', checkpointType: 'rig-setup', sha: 'rig' },
  })
  return viewOf(told.events)
}

test('a rollback to the end of a codon undoes what came after it', () => {
  const view = threeCodons()
  expect(rollbackPreview(view, checkpoint(view, 'draft-done'))).toMatchObject({
    codonIds: ['review#0', 'fix#0'],
    files: [{ path: 'b.md' }, { path: 'a.md' }],
    filesIncomplete: false,
    stops: 'fix#0',
  })
  expect(rollbackPreview(view, checkpoint(view, 'review#0-done'))).toMatchObject({
    codonIds: ['fix#0'],
    files: [{ path: 'b.md' }],
  })
})

test('a rollback to after a rig undoes the codon itself, and one to the beginning everything', () => {
  const view = threeCodons()
  expect(rollbackPreview(view, checkpoint(view, 'rig'))).toMatchObject({ codonIds: ['fix#0'], files: [] })
  expect(rollbackPreview(view, checkpoint(view, 'first')).codonIds).toEqual(['draft', 'review#0', 'fix#0'])
})

test('checkpoints of codons that were undone are not current', () => {
  expect([...currentCheckpoints(threeCodons())]).toEqual(['draft-done', 'review#0-done', 'rig'])
})
