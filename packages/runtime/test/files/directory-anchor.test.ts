import { mkdir, open, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { directoryAnchor, directoryFlags } from '../../src/files/directory-anchor.ts'
import { tempDir } from '../kit/temp-dir.ts'

it('an anchor stays with its directory when a link takes the place', async () => {
  await using dir = await tempDir()
  await mkdir(dir.file('mine'))
  await writeFile(dir.file('mine/file'), '')
  await mkdir(dir.file('trap'))
  const handle = await open(dir.file('mine'), directoryFlags)
  const anchor = directoryAnchor(handle.fd, dir.file('mine'))
  await rename(dir.file('mine'), dir.file('moved'))
  await symlink('trap', dir.file('mine'))
  expect(await readdir(anchor)).toEqual(['file'])
  await handle.close()
})

it('the flags open a directory, and neither a link to one nor a file', async () => {
  await using dir = await tempDir()
  await symlink('.', dir.file('link'))
  await writeFile(dir.file('file'), '')
  await expect(open(dir.file('link'), directoryFlags)).rejects.toThrow(/ELOOP|ENOTDIR/)
  await expect(open(dir.file('file'), directoryFlags)).rejects.toThrow('ENOTDIR')
  await (await open(dir.path, directoryFlags)).close()
})
