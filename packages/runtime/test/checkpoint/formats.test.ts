import { execFileSync } from 'node:child_process'
import { mkdirSync, Stats, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { largeFile, manyFiles } from '../../src/checkpoint/note.ts'
import { deflated, encodePack } from '../../src/checkpoint/object-writer.ts'
import { binaryId, hexId, type ObjectType, objectId } from '../../src/tree/git-objects.ts'
import { decodeIndexFile, encodeIndexFile } from '../../src/tree/index-format.ts'
import {
  createDirectory,
  fileAt,
  type KnownDirectory,
  type KnownFile,
  pathsBelow,
  setFile,
} from '../../src/tree/known-tree.ts'
import { isUnchanged, statKeyOf } from '../../src/tree/stat-key.ts'

const time = fc.double({ min: 1e12, max: 2e12, noNaN: true }).map(ms => Math.round(ms * 4096) / 4096)

const knownFile: fc.Arbitrary<KnownFile> = fc.record({
  mode: fc.constantFrom(0o100644, 0o100755, 0o120000),
  id: fc.uint8Array({ minLength: 20, maxLength: 20 }).map(bytes => Buffer.from(bytes).toString('latin1')),
  key: fc.record({
    size: fc.nat(),
    mtimeMs: time,
    ctimeMs: time,
    ino: fc.nat(),
    uid: fc.nat(65_535),
    gid: fc.nat(65_535),
    isRacy: fc.constant(false),
    isSettled: fc.constant(true),
  }),
})

const path = fc
  .array(fc.constantFrom('a', 'b', 'a.b', 'a-b', 'ü', '\udcff', 'x'.repeat(300)), {
    minLength: 1,
    maxLength: 4,
  })
  .map(names => names.join('/'))

const filesOf = (root: KnownDirectory) =>
  new Map(Array.from(pathsBelow(root), path => [path, fileAt(root, path)]))

test('what is known comes back from the index file as it was, to the last bit of the times', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(path, knownFile, { maxKeys: 12 }), async files => {
      const root = createDirectory()
      for (const [name, file] of Object.entries(files)) setFile(root, `${name}!`, file)
      root.tree = 'a'.repeat(40)
      const bytes = await encodeIndexFile(root, 3e12)
      const back = await decodeIndexFile(bytes)
      expect(back && filesOf(back)).toEqual(filesOf(root))
      expect(back?.tree).toBe(root.tree)
    }),
    { numRuns: 50 },
  )
})

test('a file is trusted only if it could not change again and look the same', () => {
  const now = 1_700_000_000_500
  const stats = Object.assign(new Stats(), { size: 1, mtimeMs: 1, ctimeMs: now, ino: 7, uid: 0, gid: 0 })
  const seenAt = (ctimeMs: number) => statKeyOf(Object.assign(stats, { ctimeMs }), now)
  expect([now + 60_000, now, now - 10].map(ctimeMs => seenAt(ctimeMs).isRacy)).toEqual([true, true, true])
  expect([now - 30, now - 450, now - 550].map(ctimeMs => seenAt(ctimeMs))).toMatchObject([
    { isRacy: false, isSettled: false },
    { isRacy: false, isSettled: false },
    { isRacy: false, isSettled: true },
  ])
  expect(isUnchanged(seenAt(now), stats)).toBe(false)
  expect(isUnchanged(seenAt(now - 30), stats)).toBe(true)
  for (const changed of [{ size: 2 }, { mtimeMs: 2 }, { ctimeMs: 2 }, { ino: 8 }])
    expect(isUnchanged(seenAt(now - 30), Object.assign(new Stats(), stats, changed))).toBe(false)
})

test('git reads our index file as we mean it', async () => {
  const folder = await tempDir()
  execFileSync('git', ['init', '-q', folder])
  const root = createDirectory()
  const key = {
    size: 1,
    mtimeMs: 1e12,
    ctimeMs: 1e12,
    ino: 1,
    uid: 0,
    gid: 0,
    isRacy: false,
    isSettled: true,
  }
  const names = ['b', 'a/b', 'a.b', 'a-b', 'a0', 'z/ü/\udcff', 'long'.repeat(60)]
  for (const name of names) setFile(root, name, { mode: 0o100644, id: binaryId('1'.repeat(40)), key })
  root.tree = '2'.repeat(40)
  writeFileSync(join(folder, '.git/index'), await encodeIndexFile(root, 3e12))
  const listed = execFileSync('git', ['-C', folder, 'ls-files', '-s', '-z']).toString('latin1').split('\0')
  expect(listed.slice(0, -1).map(line => line.slice(line.indexOf('\t') + 1))).toEqual([
    'a-b',
    'a.b',
    'a/b',
    'a0',
    'b',
    'long'.repeat(60),
    'z/\xc3\xbc/\xff',
  ])
})

test('git takes our packs, with objects of every type and size', async () => {
  const gitDir = await tempDir()
  execFileSync('git', ['init', '-q', '--bare', gitDir])
  const contents: readonly (readonly [ObjectType, Buffer])[] = [
    ['blob', Buffer.alloc(0)],
    ['blob', Buffer.from('x')],
    ['blob', Buffer.alloc(15, 'a')],
    ['blob', Buffer.alloc(16, 'b')],
    ['blob', Buffer.alloc(2_047, 'c')],
    ['blob', Buffer.alloc(2_048, 'd')],
    ['blob', Buffer.alloc(70_000, 'long')],
    ['tree', Buffer.alloc(0)],
    [
      'commit',
      Buffer.from(
        'tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor a <b> 1 +0000\ncommitter a <b> 1 +0000\n\nx\n',
      ),
    ],
  ]
  const objects = await Promise.all(
    contents.map(async ([type, content]) => ({
      oid: objectId(type, content),
      type,
      size: content.length,
      deflated: await deflated(type, content),
    })),
  )
  const { name, pack, index } = encodePack(objects)
  const folder = join(gitDir, 'objects/pack')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.pack`), pack)
  writeFileSync(join(folder, `${name}.idx`), index)
  execFileSync('git', ['verify-pack', join(folder, `${name}.idx`)])
  for (const [at, [type, content]] of contents.entries()) {
    const read = execFileSync('git', ['--git-dir', gitDir, 'cat-file', type, objects[at]?.oid ?? ''])
    expect(read).toEqual(content)
  }
})

test('ids come back from their short form', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), bytes => {
      const oid = Buffer.from(bytes).toString('hex')
      expect(hexId(binaryId(oid))).toBe(oid)
    }),
  )
})

test('what makes checkpoints slow is named together with the pattern that leaves it out', () => {
  expect(largeFile('data/[raw] *.bin', 123_456_789).message).toBe(
    'data/[raw] *.bin has 123 MB; "!/data/\\[raw\\] \\*.bin" in checkpointedFiles leaves it out',
  )
  expect(manyFiles('node_modules', 250_000).message).toBe(
    'node_modules has 250,000 checkpointed files; "!/node_modules/" in checkpointedFiles leaves it out',
  )
})
