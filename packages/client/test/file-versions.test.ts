import { emptyState, type ServerEvent, summarize } from '@weave/protocol'
import { expect, test } from 'vitest'
import { fileVersionCaps, noFileVersions, reduceFileVersions } from '../src/file-versions.ts'
import { sampleEvent, timeAt } from './event-samples.ts'

const codon = (codonId: string): ServerEvent =>
  sampleEvent('codon.started', { codonId, codonName: codonId, sessionId: 's', startTime: timeAt(0) })
const file = (
  path: string,
  content: string,
  action: 'created' | 'modified' | 'deleted' = 'modified',
): ServerEvent => sampleEvent('file.updated', { path, filename: path, content, action })

const after = (...events: readonly ServerEvent[]) => events.reduce(reduceFileVersions, noFileVersions)

test('a file is compared with what its codon found, however often that codon changed it', () => {
  const { files } = after(codon('a'), file('x', '1', 'created'), codon('b'), file('x', '2'), file('x', '3'))
  expect(files.get('x')).toEqual({
    path: 'x',
    codonId: 'b',
    byRig: false,
    before: '1',
    after: '3',
    deleted: false,
  })
})

const transition = (transitionType: 'CodonStarted' | 'CheckpointCreated', codonId: string): ServerEvent =>
  sampleEvent('state.transition', {
    transitionType,
    codonId,
    transition: { type: transitionType, data: { codonId } },
    resultingState: summarize(emptyState),
  })

test('what comes before the checkpoint after a rig is the rig of that codon, what comes later is the codon', () => {
  const { files } = after(
    codon('a'),
    file('old', '0', 'created'),
    transition('CodonStarted', 'b'),
    file('x', '1', 'created'),
    file('y', '1', 'created'),
    transition('CheckpointCreated', 'b'),
    codon('b'),
    file('y', '2'),
    file('z', '1', 'created'),
    transition('CheckpointCreated', 'b'),
  )
  expect([...files.values()].map(({ path, codonId, byRig }) => [path, codonId, byRig])).toEqual([
    ['old', 'a', false],
    ['x', 'b', true],
    ['y', 'b', false],
    ['z', 'b', false],
  ])
  // The agent found what the rig had made.
  expect(files.get('y')).toMatchObject({ before: '1', after: '2' })
})

test('a codon without a rig has no checkpoint before its agent, so all is its own', () => {
  const { files } = after(
    transition('CodonStarted', 'b'),
    file('x', '1', 'created'),
    codon('b'),
    transition('CheckpointCreated', 'b'),
  )
  expect(files.get('x')).toMatchObject({ codonId: 'b', byRig: false })
})

test('what a file was before anyone told is not known', () => {
  expect(after(codon('a'), file('x', '2')).files.get('x')).toMatchObject({ before: undefined, after: '2' })
  expect(after(codon('a'), file('x', '2', 'created')).files.get('x')).toMatchObject({ before: '' })
})

test('a deleted file has nothing in it, and what was in it is still known', () => {
  const { files } = after(codon('a'), file('x', '1', 'created'), codon('b'), file('x', '', 'deleted'))
  expect(files.get('x')).toMatchObject({ before: '1', after: '', deleted: true })
})

test('a text that did not come along is no empty text', () => {
  const binary = sampleEvent('file.updated', {
    path: 'x',
    filename: 'x',
    content: '',
    action: 'modified',
    omitted: 'binary',
  })
  expect(after(binary).files.get('x')).toMatchObject({ after: undefined, omitted: 'binary' })
})

test('what is kept stays within its bounds, newest last', () => {
  const many = Array.from({ length: 500 }, (_, at) => file(`f${at}`, 'x'.repeat(100_000), 'created'))
  const { files, characters } = after(...many)
  expect(characters).toBe([...files.values()].reduce((sum, { after: text = '' }) => sum + text.length, 0))
  expect(characters).toBeLessThanOrEqual(fileVersionCaps.characters)
  expect([...files.keys()].at(-1)).toBe('f499')
  expect(after(...many.map((_, at) => file(`f${at}`, 'x'))).files.size).toBe(fileVersionCaps.files)
  const huge = file('huge', 'x'.repeat(fileVersionCaps.charactersOfOne + 1))
  expect(after(huge).files.get('huge')?.after).toBeUndefined()
})
