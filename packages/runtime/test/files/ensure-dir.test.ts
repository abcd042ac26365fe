import { mkdir, stat, symlink, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { ensureDir } from '../../src/files/index.ts'
import { tempDir } from '../kit/temp-dir.ts'

describe('ensureDir', () => {
  it('makes private directories all the way down and is content with existing ones', async () => {
    await using dir = await tempDir()
    await ensureDir(dir.file('a/b'))
    await ensureDir(dir.file('a/b'))
    for (const name of ['a', 'a/b']) expect((await stat(dir.file(name))).mode & 0o777).toBe(0o700)
  })

  it('leaves the mode of an existing directory, and a link to one, as they are', async () => {
    await using dir = await tempDir()
    await mkdir(dir.file('open'), { mode: 0o755 })
    await symlink('open', dir.file('link'))
    await ensureDir(dir.file('open'))
    await ensureDir(dir.file('link'))
    expect((await stat(dir.file('open'))).mode & 0o777).toBe(0o755)
  })

  it('fails when something else is in the way', async () => {
    await using dir = await tempDir()
    await writeFile(dir.file('file'), '')
    await symlink('nowhere', dir.file('dangling'))
    await expect(ensureDir(dir.file('file'))).rejects.toThrow('EEXIST')
    await expect(ensureDir(dir.file('file/below'))).rejects.toThrow('ENOTDIR')
    await expect(ensureDir(dir.file('dangling'))).rejects.toThrow()
  })
})
