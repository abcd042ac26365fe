import { Stats } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { changesSince, type FileChange } from '../../src/tree/changes.ts'
import { type ContentResult, emittedKeyOf } from '../../src/tree/content.ts'
import { createEmittedFiles, type EmittedFiles } from '../../src/tree/emitted-files.ts'
import type { StatKey } from '../../src/tree/stat-key.ts'

const key: StatKey = {
  size: 4,
  mtimeMs: 1_000,
  ctimeMs: 1_000,
  ino: 7,
  uid: 0,
  gid: 0,
  isRacy: false,
  isSettled: true,
}
const racy: StatKey = { ...key, isRacy: true }

const found = (content: string, at = key): ContentResult => ({
  kind: 'content',
  content: { fields: { content }, sha256: `hash of ${content}`, key: at },
})
const unreadable = { kind: 'unreadable', code: 'EACCES' } as const
const change = (kind: FileChange['kind'], seen = key): FileChange => ({ path: 'a', kind, key: seen })

async function kindsSeen(emitted: EmittedFiles, seen: StatKey): Promise<readonly string[]> {
  return (await changesSince(emitted, { files: new Map([['a', seen]]) })).map(({ kind }) => kind)
}

describe('a change is', () => {
  const differences: readonly [name: string, seen: Partial<StatKey>, kinds: readonly string[]][] = [
    ['nothing when the key is the same', {}, []],
    ['a modification when the size is another', { size: 5 }, ['modified']],
    ['a modification when the time is another', { mtimeMs: 2_000, ctimeMs: 2_000 }, ['modified']],
    ['a modification when the file is another', { ino: 8 }, ['modified']],
    ['doubtful when only the time of change moved', { ctimeMs: 2_000 }, ['doubtful']],
  ]
  for (const [name, seen, kinds] of differences) {
    it(name, async () => {
      const known = createEmittedFiles()
      known.adopt('a', key)
      expect(await kindsSeen(known, { ...key, ...seen })).toEqual(kinds)
    })
  }

  it('doubtful for a file that was written in the same moment in which it was seen, until it is old', async () => {
    const known = createEmittedFiles()
    const accepted = known.accept(change('created'), found('one', racy))
    expect(accepted).toMatchObject({ kind: 'emit' })
    expect(await kindsSeen(known, key)).toEqual(['doubtful'])
    expect(known.accept(change('doubtful'), found('two'))).toMatchObject({
      kind: 'emit',
      update: { action: 'modified', content: 'two' },
    })
    expect(await kindsSeen(known, key)).toEqual([])
  })

  it('not doubtful for a file from the future, whose clock is not ours', () => {
    const stats = Object.assign(new Stats(), key)
    const hourBefore = key.ctimeMs - 3_600_000
    expect(emittedKeyOf(stats, key.ctimeMs).isRacy).toBe(true)
    expect(emittedKeyOf(stats, hourBefore).isRacy).toBe(false)
  })
})

describe('a file', () => {
  it('that is doubtful is told only if its known content differs', () => {
    const known = createEmittedFiles()
    known.adopt('a', racy)
    expect(known.accept(change('doubtful'), found('one'))).toEqual({ kind: 'same' })
    expect(known.accept(change('doubtful'), found('one'))).toEqual({ kind: 'same' })
    expect(known.accept(change('doubtful'), found('two'))).toMatchObject({ kind: 'emit' })
  })

  it('that was taken in unread is told when it is modified, one with a fingerprint only if it differs', () => {
    const known = createEmittedFiles()
    known.adopt('a', key)
    expect(known.accept(change('modified'), found('one'))).toMatchObject({ kind: 'emit' })
    known.adopt('b', key)
    known.fingerprint('b', 'hash of one')
    const changed = { ...change('modified'), path: 'b' }
    expect(known.accept(changed, found('one'))).toEqual({ kind: 'same' })
    expect(known.accept(changed, found('two'))).toMatchObject({
      kind: 'emit',
      update: { action: 'modified' },
    })
  })

  it('that cannot be read is known, and told as created once it can', async () => {
    const known = createEmittedFiles()
    expect(known.accept(change('created'), unreadable)).toEqual({ kind: 'silent' })
    expect(await kindsSeen(known, key)).toEqual([])
    expect(known.accept(change('modified'), unreadable)).toEqual({ kind: 'same' })
    expect(known.accept(change('doubtful'), found('one'))).toMatchObject({
      kind: 'emit',
      update: { action: 'created' },
    })
    expect(known.forget('a')).toMatchObject({ kind: 'emit', update: { action: 'deleted' } })
  })

  it('that could never be read goes without a word', () => {
    const known = createEmittedFiles()
    known.accept(change('created'), unreadable)
    expect(known.forget('a')).toEqual({ kind: 'silent' })
    expect(known.files.size).toBe(0)
  })

  it('that changed before it was read is left for the next scan', async () => {
    const known = createEmittedFiles()
    const stale = { kind: 'stale' } as const
    expect(known.accept(change('created'), stale)).toEqual({ kind: 'stale' })
    expect(await kindsSeen(known, key)).toEqual(['created'])
  })
})
