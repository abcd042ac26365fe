import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/**
 * Opens a regular file and nothing else: without waiting for the other end of a FIFO or a device. Rejects with the
 * system's error, or with one that names the path.
 */
export async function openRegularFile(path: string, flags: number = constants.O_RDONLY): Promise<FileHandle> {
  const file = await open(path, flags | constants.O_NONBLOCK)
  try {
    if ((await file.stat()).isFile()) return file
  } catch (error) {
    await file.close()
    throw error
  }
  await file.close()
  throw new Error(`${path} is not a regular file`)
}
