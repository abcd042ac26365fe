import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Shelf, StoredObject } from './shelf.ts'

/** Objects as files, two letters deep. Written beside their place and renamed, so that a reader never sees half of one. */
export function openFileStore(url: string): Shelf {
  const folder = fileURLToPath(url)
  const place = (sha: string): string => join(folder, sha.slice(0, 2), sha)
  return {
    url,
    variables: [],
    async write(sha, bytes) {
      const path = place(sha)
      const there = await stat(path).catch(() => undefined)
      if (there?.size === bytes.length) return utimes(path, new Date(), new Date())
      const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const draft = `${path}.${randomBytes(6).toString('hex')}`
      const file = await open(draft, 'wx', 0o600)
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, path)
      // Its name, too, and that of its folder.
      await syncFolder(dirname(path))
      if (made !== undefined) await syncFolder(dirname(made))
    },
    async read(sha) {
      try {
        return await readFile(place(sha))
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
        throw error
      }
    },
    async olderThan(milliseconds) {
      const found: StoredObject[] = []
      for (const folderName of await readdir(folder).catch(() => [])) {
        if (!/^[0-9a-f]{2}$/.test(folderName)) continue
        for (const name of await readdir(join(folder, folderName))) {
          const there = await stat(join(folder, folderName, name)).catch(() => undefined)
          // Drafts of writers that died have longer names, and nobody names them.
          if (there && isOld(there, milliseconds)) found.push({ sha: name, bytes: there.size })
        }
      }
      return found
    },
    async remove(sha, milliseconds) {
      const there = await stat(place(sha)).catch(() => undefined)
      if (!there || !isOld(there, milliseconds)) return false
      await rm(place(sha), { force: true })
      return true
    },
  }
}

/** By the clock of this machine: a store of files is on one machine, or on a mount whose clock is near. */
function isOld({ mtimeMs }: { readonly mtimeMs: number }, milliseconds: number): boolean {
  return mtimeMs < Date.now() - milliseconds
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
