import { constants } from 'node:fs'
import { copyFile, link } from 'node:fs/promises'
import { errorCode } from '../kit/index.ts'

/** No such link can be made there; a copy can. */
const unlinkable: ReadonlySet<string | undefined> = new Set([
  'EXDEV',
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EMLINK',
])

/**
 * The same bytes under another name, for files that nobody changes any more: one more link where that is possible, else a
 * copy, which shares its blocks where the file system can. The new name must be free. Rejects with the system's error.
 */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!unlinkable.has(errorCode(error))) throw error
    await cloneFile(from, to)
  }
}

/** A copy that may be changed without changing the other. The new name must be free. Rejects with the system's error. */
export function cloneFile(from: string, to: string): Promise<void> {
  return copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
}
