import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, open, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { directoryAnchor, directoryFlags } from '../../src/files/directory-handles.ts'
import { openedUp, removeIfEmpty } from '../../src/files/index.ts'
import { tempDir as openTempDir } from '../kit/temp-dir.ts'

it('an anchor stays with its directory when a link takes the place', async () => {
  await using dir = await openTempDir()
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
  await using dir = await openTempDir()
  await symlink('.', dir.file('link'))
  await writeFile(dir.file('file'), '')
  await expect(open(dir.file('link'), directoryFlags)).rejects.toThrow(/ELOOP|ENOTDIR/)
  await expect(open(dir.file('file'), directoryFlags)).rejects.toThrow('ENOTDIR')
  await (await open(dir.path, directoryFlags)).close()
})

const modeOf = (path: string) => statSync(path).mode & 0o777

/** As the system does for everybody but root. */
function refusingWhenClosed(directory: string, work: () => void): () => void {
  return () => {
    if ((modeOf(directory) & 0o200) === 0) throw Object.assign(new Error('EACCES: …'), { code: 'EACCES' })
    work()
  }
}

describe('work in a directory that is closed for writing', () => {
  verifies(
    ['attack/read-only-directory'],
    'is done while the directory is open for that moment, and its permissions are as they were',
    async () => {
      const directory = await tempDir()
      chmodSync(directory, 0o555)
      const seen: number[] = []
      openedUp(
        directory,
        refusingWhenClosed(directory, () => seen.push(modeOf(directory))),
      )
      expect(seen).toEqual([0o755])
      expect(modeOf(directory)).toBe(0o555)
      chmodSync(directory, 0o755)
    },
  )

  test('fails as it does, with the permissions as they were, when it is not that', async () => {
    const directory = await tempDir()
    chmodSync(directory, 0o555)
    const fails = () =>
      openedUp(
        directory,
        refusingWhenClosed(directory, () => statSync(join(directory, 'no'))),
      )
    expect(fails).toThrow('ENOENT')
    expect(modeOf(directory)).toBe(0o555)
    expect(() => openedUp(directory, () => statSync(join(directory, 'no')))).toThrow('ENOENT')
    chmodSync(directory, 0o755)
  })
})

describe('a directory that is to go if it is empty', () => {
  test('goes, stays when it is not, and is fine when it is not there', async () => {
    const parent = await tempDir()
    for (const name of ['empty', 'full']) mkdirSync(join(parent, name))
    writeFileSync(join(parent, 'full/x'), '')
    for (const name of ['empty', 'full', 'missing']) removeIfEmpty(parent, join(parent, name))
    expect(existsSync(join(parent, 'empty'))).toBe(false)
    expect(existsSync(join(parent, 'full/x'))).toBe(true)
  })
})
