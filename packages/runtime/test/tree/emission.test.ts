import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { FileUpdate } from '../../src/tree/content.ts'
import { Emission } from '../../src/tree/emission.ts'
import { createEmittedFiles } from '../../src/tree/emitted-files.ts'
import type { Gap } from '../../src/tree/tree-walk.ts'
import { fill, selectionOf } from './watch-fixture.ts'

/** One scan that found these files, all new. */
async function emission(...paths: readonly string[]) {
  const root = await tempDir()
  await fill(root, Object.fromEntries(paths.map(path => [path, path])))
  const emitted = createEmittedFiles()
  const updates: FileUpdate[] = []
  const gaps: Gap[] = []
  const found = new Map(paths.map(path => [path, lstatSync(join(root, path))]))
  const options = {
    emitted,
    selection: selectionOf(['*', '!unselected']),
    signal: new AbortController().signal,
    onChange: (update: FileUpdate) => void updates.push(update),
    onGap: (gap: Gap) => void gaps.push(gap),
  }
  return { root, emitted, updates, gaps, emission: new Emission(options, { found, now: 0 }, []) }
}

it('a file that could not be read just now is stale, and left for the next scan', async () => {
  const { emission: emitting, emitted, gaps } = await emission('a')
  await emitting.take('a', { kind: 'unreadable', code: 'EMFILE' })
  expect([emitting.stale, emitting.isStructural, emitted.get('a'), gaps]).toEqual([1, false, undefined, []])
})

it('a file that may not be read is a gap, and one of the tree', async () => {
  const { emission: emitting, emitted, gaps, updates } = await emission('a')
  await emitting.take('a', { kind: 'unreadable', code: 'EACCES' })
  expect(gaps).toEqual([{ kind: 'unreadable', path: 'a', code: 'EACCES' }])
  expect([emitting.stale, emitting.isStructural, emitted.get('a')?.isSilent]).toEqual([0, true, true])
  expect(updates).toEqual([])
})

it('a file that is gone when it is read, and was never emitted, is no news', async () => {
  const { emission: emitting, updates } = await emission('a')
  await emitting.take('a', { kind: 'gone' })
  expect([emitting.isStructural, updates]).toEqual([false, []])
})

it('a file that is not watched is not emitted, whatever a checkpoint reads', async () => {
  const { emission: emitting, root, updates } = await emission('b', 'unselected')
  await emitting.readAll(root, ['unselected', 'b'])
  expect(updates.map(({ path, content }) => [path, content])).toEqual([['b', 'b']])
})
