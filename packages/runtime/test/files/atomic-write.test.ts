import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { type AtomicWriteOptions, writeFileAtomic, writeFileAtomicSync } from '../../src/files/index.ts'
import { start } from '../../src/kit/index.ts'
import { fixture, outputWatch } from '../kit/fixture.ts'
import { tempDir } from '../kit/temp-dir.ts'

type Write = (path: string, data: string | Uint8Array, options?: AtomicWriteOptions) => Promise<void>

const twins: readonly [string, Write][] = [
  ['writeFileAtomic', writeFileAtomic],
  ['writeFileAtomicSync', async (...args) => writeFileAtomicSync(...args)],
]

describe.each(twins)('%s', (_name, write) => {
  it('makes a private file and leaves nothing else behind', async () => {
    await using dir = await tempDir()
    await write(dir.file('new'), 'text')
    expect(await readFile(dir.file('new'), 'utf8')).toBe('text')
    expect((await stat(dir.file('new'))).mode & 0o7777).toBe(0o600)
    expect(await readdir(dir.path)).toEqual(['new'])
  })

  it('replaces the whole of a longer file, with bytes too', async () => {
    await using dir = await tempDir()
    await writeFile(dir.file('old'), 'a longer text')
    await write(dir.file('old'), Uint8Array.of(0, 255, 10))
    expect([...(await readFile(dir.file('old')))]).toEqual([0, 255, 10])
  })

  it.each<[number, number, AtomicWriteOptions]>([
    [0o666, 0o644, { mode: 0o666 }],
    [0o755, 0o755, { mode: 'keep' }],
    [0o600, 0o644, {}],
  ])('gives mode %o to a file that had %o with %o', async (expected, before, options) => {
    await using dir = await tempDir()
    await writeFile(dir.file('file'), 'old')
    await chmod(dir.file('file'), before)
    await write(dir.file('file'), 'new', options)
    expect((await stat(dir.file('file'))).mode & 0o7777).toBe(expected)
  })

  it('makes a private file when there is no mode to keep', async () => {
    await using dir = await tempDir()
    await write(dir.file('file'), 'new', { mode: 'keep' })
    expect((await stat(dir.file('file'))).mode & 0o7777).toBe(0o600)
  })

  it('replaces a link instead of writing through it', async () => {
    await using dir = await tempDir()
    await writeFile(dir.file('target'), 'untouched')
    await symlink('target', dir.file('link'))
    await write(dir.file('link'), 'new', { mode: 'keep' })
    expect(await readFile(dir.file('target'), 'utf8')).toBe('untouched')
    expect((await lstat(dir.file('link'))).isFile()).toBe(true)
  })

  it('works for a name as long as a name may be', async () => {
    await using dir = await tempDir()
    await write(dir.file('n'.repeat(255)), 'text')
    expect(await readdir(dir.path)).toHaveLength(1)
  })

  it('fails and cleans up when a directory is in the way', async () => {
    await using dir = await tempDir()
    await mkdir(dir.file('taken/inside'), { recursive: true })
    await expect(write(dir.file('taken'), 'text')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST|EPERM/)
    expect(await readdir(dir.path)).toEqual(['taken'])
    expect(await readdir(dir.file('taken'))).toEqual(['inside'])
  })

  it.each(['missing/file', 'file/below'])('fails for %s, whose directory is none', async path => {
    await using dir = await tempDir()
    await writeFile(dir.file('file'), 'old')
    await expect(write(dir.file(path), 'text')).rejects.toThrow(/ENOENT|ENOTDIR/)
    expect(await readFile(dir.file('file'), 'utf8')).toBe('old')
  })
})

it('never shows a reader anything but a whole version, also when the writer is killed', async () => {
  await using dir = await tempDir()
  const file = dir.file('file')
  const versions = ['a', 'b'].map(letter => letter.repeat(100_000))
  writeFileAtomicSync(file, versions[0] ?? '')
  const watch = outputWatch()
  const writer = start(...fixture('writes-atomically', file), {
    env: process.env,
    onOutput: watch.onOutput,
    graceMs: 0,
  })
  await watch.until(/written 5\n/)
  for (let reads = 0; reads < 200; reads++) expect(versions).toContain(await readFile(file, 'utf8'))
  writer.kill('enough')
  await writer.done
  expect(versions).toContain(await readFile(file, 'utf8'))
})
