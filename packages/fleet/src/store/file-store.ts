import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Shelf } from './shelf.ts'

/** Objects as files, two letters deep. Written beside their place and renamed, so that a reader never sees half of one. */
export function openFileStore(url: string): Shelf {
  const folder = fileURLToPath(url)
  const place = (sha: string): string => join(folder, sha.slice(0, 2), sha)
  return {
    url,
    async write(sha, bytes) {
      const path = place(sha)
      const there = await stat(path).catch(() => undefined)
      if (there?.size === bytes.length) return
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const draft = `${path}.${randomBytes(6).toString('hex')}`
      const file = await open(draft, 'wx', 0o600)
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, path)
    },
    async read(sha) {
      try {
        return await readFile(place(sha))
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
        throw error
      }
    },
  }
}
