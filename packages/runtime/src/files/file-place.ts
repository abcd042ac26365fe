import { linkSync, lstatSync, renameSync, unlinkSync } from 'node:fs'
import { createId, errorCode } from '../kit/index.ts'
import type { HeldDirectory } from './directory-chain.ts'
import { copyToNew, openRegular } from './file-copy.ts'
import { openedUp } from './opened-up.ts'

/**
 * Gives a regular file another name, whole and at once, without ever taking the place of what has that name. `false`: the
 * name is taken. Both names are then one file; on another device, or where there are no hard links, the new one is a
 * copy that is on the disk, with the same permissions and times.
 *
 * Throws the system's error. Where there are no hard links at all, something that takes the name in the last moment would
 * be replaced: no system call that Node has can prevent it there.
 */
export async function placeFile(file: string, directory: HeldDirectory, name: string): Promise<boolean> {
  try {
    openedUp(directory.self, () => linkSync(file, directory.at(name)))
    return true
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EEXIST') return false
    if (code === undefined || !cannotLink.has(code)) throw error
  }
  if (lstatSync(directory.at(name), { throwIfNoEntry: false })) return false
  const temporary = directory.at(`.${createId('weave-copy')}`)
  await copyOf(file, temporary)
  return nameCopy(temporary, directory.at(name))
}

const cannotLink: ReadonlySet<string> = new Set([
  'EXDEV',
  'EPERM',
  'EMLINK',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
])

async function copyOf(file: string, temporary: string): Promise<void> {
  const source = await openRegular(file)
  try {
    const { mode, atime, mtime } = source.stats
    await copyToNew(source, temporary, { mode: mode & 0o7777, sync: true, times: { atime, mtime } })
  } finally {
    await source.file.close()
  }
}

function nameCopy(temporary: string, name: string): boolean {
  try {
    linkSync(temporary, name)
    unlinkSync(temporary)
    return true
  } catch (error) {
    const code = errorCode(error)
    const free = !lstatSync(name, { throwIfNoEntry: false })
    if (code !== undefined && cannotLink.has(code) && free) {
      renameSync(temporary, name)
      return true
    }
    unlinkSync(temporary)
    if (free) throw error
    return false
  }
}
