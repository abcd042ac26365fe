import { mkdir } from 'node:fs/promises'

/**
 * Makes the directory and those above it that are missing, all with `mode` (less the umask); an existing one, or a link
 * to one, is left as it is. Rejects with the system's error for everything else, such as a file in the way.
 */
export async function ensureDir(path: string, mode = 0o700): Promise<void> {
  await mkdir(path, { recursive: true, mode })
}
