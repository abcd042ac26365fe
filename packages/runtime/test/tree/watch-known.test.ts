import { Stats } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { emittedKeyOf, type FileContent } from '../../src/tree/content.ts'
import { createEmittedFiles } from '../../src/tree/emitted-files.ts'
import { isUnchanged, type StatKey } from '../../src/tree/stat-key.ts'
import { anyKey } from './watch-fixture.ts'

const racy: StatKey = { ...anyKey, isRacy: true }
const touched: StatKey = { ...anyKey, mtimeMs: 2_000, ctimeMs: 2_000 }

const found = (content: string, key = anyKey): FileContent => ({
  fields: { content },
  sha256: `hash of ${content}`,
  key,
})

/** The files that were emitted, with one of them: a scan that sees this key reads the file again. */
function emittedWith(key: StatKey) {
  const emitted = createEmittedFiles()
  emitted.adopt('a', key)
  const isRead = (seen: StatKey) => !isUnchanged(emitted.get('a')?.key, seen)
  return { ...emitted, isRead }
}

describe('a file that was taken in unread', () => {
  const differences: readonly [name: string, seen: Partial<StatKey>, isRead: boolean, isNews: boolean][] = [
    ['is not read when the key is the same', {}, false, false],
    ['is news when the size is another', { size: 5 }, true, true],
    ['is news when the time is another', { mtimeMs: 2_000, ctimeMs: 2_000 }, true, true],
    ['is news when the file is another', { ino: 8 }, true, true],
    ['is read, and no news, when only the time of change moved', { ctimeMs: 2_000 }, true, false],
  ]
  for (const [name, different, isRead, isNews] of differences) {
    it(name, () => {
      const emitted = emittedWith(anyKey)
      const seen = { ...anyKey, ...different }
      expect(emitted.isRead(seen)).toBe(isRead)
      expect(emitted.accept('a', found('one', seen))?.action).toBe(isNews ? 'modified' : undefined)
    })
  }

  it('is news only if it differs, once it has a fingerprint', () => {
    const { get, accept } = emittedWith(anyKey)
    const file = get('a')
    if (file) file.sha256 = 'hash of one'
    expect(accept('a', found('one', touched))).toBeUndefined()
    expect(accept('a', found('two', touched))).toMatchObject({ action: 'modified' })
  })
})

describe('a file', () => {
  it('that was written in the same moment in which it was seen is read again, until it is old', () => {
    const { accept, isRead } = emittedWith(anyKey)
    expect(accept('a', found('one', { ...racy, size: 5 }))).toMatchObject({ action: 'modified' })
    expect(isRead({ ...anyKey, size: 5 })).toBe(true)
    expect(accept('a', found('two', { ...anyKey, size: 5 }))).toMatchObject({ content: 'two' })
    expect(isRead({ ...anyKey, size: 5 })).toBe(false)
  })

  it('from the future, whose clock is not ours, is not read again', () => {
    const stats = Object.assign(new Stats(), anyKey)
    const hourBefore = anyKey.ctimeMs - 3_600_000
    expect(emittedKeyOf(stats, anyKey.ctimeMs).isRacy).toBe(true)
    expect(emittedKeyOf(stats, hourBefore).isRacy).toBe(false)
  })

  it('that is read again is told only if its known content differs', () => {
    const { accept } = emittedWith(racy)
    expect(accept('a', found('one'))).toBeUndefined()
    expect(accept('a', found('one'))).toBeUndefined()
    expect(accept('a', found('two'))).toMatchObject({ action: 'modified', content: 'two' })
  })

  it('that is new is told as created', () => {
    expect(createEmittedFiles().accept('a', found('one'))).toMatchObject({ action: 'created' })
  })

  it('that cannot be read is known, and told as created once it can', () => {
    const { acceptUnread, accept, forget, get } = createEmittedFiles()
    acceptUnread('a', racy)
    expect(isUnchanged(get('a')?.key, anyKey)).toBe(true)
    acceptUnread('a', touched)
    expect(isUnchanged(get('a')?.key, touched)).toBe(true)
    expect(accept('a', found('one', touched))).toMatchObject({ action: 'created' })
    expect(forget('a')).toMatchObject({ action: 'deleted' })
  })

  it('that can no longer be read is told as modified once it can, if it differs', () => {
    const { acceptUnread, accept } = createEmittedFiles()
    accept('a', found('one'))
    acceptUnread('a', touched)
    expect(accept('a', found('one', touched))).toBeUndefined()
    expect(accept('a', found('two', touched))).toMatchObject({ action: 'modified' })
  })

  it('that could never be read goes without a word', () => {
    const { acceptUnread, forget, get } = createEmittedFiles()
    acceptUnread('a', anyKey)
    expect(forget('a')).toBeUndefined()
    expect(get('a')).toBeUndefined()
  })
})
