import { describe, expect, it } from 'vitest'
import { changesSince, type FileChange, type FileStamp, type Look } from '../../src/tree/file-state.ts'
import type { ContentResult } from '../../src/tree/file-update.ts'
import { createKnownFiles, type KnownFiles } from '../../src/tree/known-files.ts'

const stamp: FileStamp = { size: 4, mtimeMs: 1_000, ctimeMs: 1_000, ino: 7, dev: 1 }
const later = 500_000

const lookAt = (files: Readonly<Record<string, FileStamp>>): Look => ({
  files: new Map(Object.entries(files)),
  directories: new Map(),
  young: new Set(),
  gaps: [],
})

const found = (content: string, { readAt = later, at = stamp } = {}) => {
  const result: ContentResult = {
    kind: 'content',
    content: { fields: { content }, sha256: `hash of ${content}`, stamp: at },
  }
  return { result, readAt }
}
const unreadable = { result: { kind: 'unreadable', code: 'EACCES' } as const, readAt: later }
const change = (kind: FileChange['kind'], seen = stamp): FileChange => ({ path: 'a', kind, stamp: seen })

async function kindsSeen(known: KnownFiles, seen: FileStamp): Promise<readonly string[]> {
  return (await changesSince(known, lookAt({ a: seen }))).map(({ kind }) => kind)
}

describe('a change is', () => {
  const differences: readonly [name: string, seen: Partial<FileStamp>, kinds: readonly string[]][] = [
    ['nothing when the stamp is the same', {}, []],
    ['a modification when the size is another', { size: 5 }, ['modified']],
    ['a modification when the time is another', { mtimeMs: 2_000, ctimeMs: 2_000 }, ['modified']],
    ['a modification when the file is another', { ino: 8 }, ['modified']],
    ['doubtful when only the time of change moved', { ctimeMs: 2_000 }, ['doubtful']],
  ]
  for (const [name, seen, kinds] of differences) {
    it(name, async () => {
      const known = createKnownFiles()
      known.adopt('a', stamp, false)
      expect(await kindsSeen(known, { ...stamp, ...seen })).toEqual(kinds)
    })
  }

  it('doubtful for a file that was written in the same moment in which it was seen, until it is old', async () => {
    const known = createKnownFiles()
    const accepted = known.accept(change('created'), found('one', { readAt: stamp.ctimeMs + 10 }))
    expect(accepted).toMatchObject({ kind: 'tell' })
    expect(await kindsSeen(known, stamp)).toEqual(['doubtful'])
    expect(known.accept(change('doubtful'), found('two'))).toMatchObject({
      kind: 'tell',
      update: { action: 'modified', content: 'two' },
    })
    expect(await kindsSeen(known, stamp)).toEqual([])
  })

  it('not doubtful for a file from the future, whose clock is not ours', async () => {
    const known = createKnownFiles()
    known.accept(change('created'), found('one', { readAt: stamp.ctimeMs - 3_600_000 }))
    expect(await kindsSeen(known, stamp)).toEqual([])
  })
})

describe('a file', () => {
  it('that is doubtful is told only if its known content differs', () => {
    const known = createKnownFiles()
    known.adopt('a', stamp, true)
    expect(known.accept(change('doubtful'), found('one'))).toEqual({ kind: 'same' })
    expect(known.accept(change('doubtful'), found('one'))).toEqual({ kind: 'same' })
    expect(known.accept(change('doubtful'), found('two'))).toMatchObject({ kind: 'tell' })
  })

  it('that was taken in unread is told when it is modified, one with a fingerprint only if it differs', () => {
    const known = createKnownFiles()
    known.adopt('a', stamp, false)
    expect(known.accept(change('modified'), found('one'))).toMatchObject({ kind: 'tell' })
    known.adopt('b', stamp, false)
    known.fingerprint('b', 'hash of one')
    const changed = { ...change('modified'), path: 'b' }
    expect(known.accept(changed, found('one'))).toEqual({ kind: 'same' })
    expect(known.accept(changed, found('two'))).toMatchObject({
      kind: 'tell',
      update: { action: 'modified' },
    })
  })

  it('that cannot be read is known, and told as created once it can', async () => {
    const known = createKnownFiles()
    expect(known.accept(change('created'), unreadable)).toEqual({ kind: 'unspoken' })
    expect(await kindsSeen(known, stamp)).toEqual([])
    expect(known.accept(change('modified'), unreadable)).toEqual({ kind: 'same' })
    expect(known.accept(change('doubtful'), found('one'))).toMatchObject({
      kind: 'tell',
      update: { action: 'created' },
    })
    expect(known.forget('a')).toMatchObject({ kind: 'tell', update: { action: 'deleted' } })
  })

  it('that could never be read goes without a word', () => {
    const known = createKnownFiles()
    known.accept(change('created'), unreadable)
    expect(known.forget('a')).toEqual({ kind: 'unspoken' })
    expect(known.files.size).toBe(0)
  })

  it('that changed before it was read is left for the next look', async () => {
    const known = createKnownFiles()
    const stale = { result: { kind: 'stale' } as const, readAt: later }
    expect(known.accept(change('created'), stale)).toEqual({ kind: 'stale' })
    expect(await kindsSeen(known, stamp)).toEqual(['created'])
  })
})
