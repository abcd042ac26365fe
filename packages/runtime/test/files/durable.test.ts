import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createDiskSync, ensureDir } from '../../src/files/index.ts'
import { tempDir as openTempDir } from '../kit/temp-dir.ts'

/** A `sync` that notes what it was asked and ends so. */
async function programs(code: number): Promise<{ readonly PATH: string; readonly asked: () => string }> {
  const folder = await tempDir()
  const notes = join(folder, 'asked')
  writeFileSync(join(folder, 'sync'), `#!/bin/sh\necho "$@" >> ${notes}\nexit ${code}\n`)
  chmodSync(join(folder, 'sync'), 0o755)
  return { PATH: folder, asked: () => (existsSync(notes) ? readFileSync(notes, 'utf8') : '') }
}

describe.skipIf(process.platform !== 'linux')('putting files on the disk', () => {
  test('asks the program once for all directories, each time', async () => {
    const { PATH, asked } = await programs(0)
    const sync = createDiskSync(['/one', '/two'], { PATH })
    await sync()
    await sync()
    expect(asked()).toBe('-f /one /two\n-f /one /two\n')
  })

  test('goes from file to file when the program cannot, and does not ask it again', async () => {
    const { PATH, asked } = await programs(1)
    const directory = await tempDir()
    mkdirSync(join(directory, 'sub'))
    writeFileSync(join(directory, 'sub/file'), 'x')
    symlinkSync('/nowhere', join(directory, 'link'))
    const sync = createDiskSync([directory], { PATH })
    await sync()
    await sync()
    expect(asked()).toBe(`-f ${directory}\n`)
    await expect(createDiskSync([join(directory, 'missing')], {})()).resolves.toBeUndefined()
  })
})

describe('ensureDir', () => {
  it('makes private directories all the way down and is content with existing ones', async () => {
    await using dir = await openTempDir()
    await ensureDir(dir.file('a/b'))
    await ensureDir(dir.file('a/b'))
    for (const name of ['a', 'a/b']) expect((await stat(dir.file(name))).mode & 0o777).toBe(0o700)
  })

  it('leaves the mode of an existing directory, and a link to one, as they are', async () => {
    await using dir = await openTempDir()
    await mkdir(dir.file('open'), { mode: 0o755 })
    await symlink('open', dir.file('link'))
    await ensureDir(dir.file('open'))
    await ensureDir(dir.file('link'))
    expect((await stat(dir.file('open'))).mode & 0o777).toBe(0o755)
  })

  it('fails when something else is in the way', async () => {
    await using dir = await openTempDir()
    await writeFile(dir.file('file'), '')
    await symlink('nowhere', dir.file('dangling'))
    await expect(ensureDir(dir.file('file'))).rejects.toThrow('EEXIST')
    await expect(ensureDir(dir.file('file/below'))).rejects.toThrow('ENOTDIR')
    await expect(ensureDir(dir.file('dangling'))).rejects.toThrow()
  })
})
