import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { linkOrCopy } from '../files/index.ts'
import { errorCode } from '../kit/index.ts'
import { layOutStore } from './open-store.ts'

export interface CloneOptions {
  readonly gitDir: string
  /** The git directory of the other store, which may be in use. */
  readonly from: string
  /** What the new store knows of: full names of refs with what they name. */
  readonly refs: ReadonlyMap<string, string>
}

/**
 * A store of its own with the objects of another: their files, which never change, are linked or copied, so that it needs
 * the other no more. git is not asked. `gitDir` must not exist, and nothing in it is sure to be on the disk: whoever makes
 * a store in this way syncs what it is a part of. Rejects with the system's error.
 */
export async function cloneStore({ gitDir, from, refs }: CloneOptions): Promise<void> {
  layOutStore(gitDir)
  for (const [ref, sha] of refs) {
    const path = join(gitDir, ref)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, `${sha}\n`, { mode: 0o600, flag: 'wx' })
  }
  await linkObjects(join(from, 'objects'), join(gitDir, 'objects'))
}

const attempts = 5

/** While we link, the other may put its packs together: then what was listed is gone, and what is new has it all. */
async function linkObjects(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      for (const path of await objectFiles(from)) await linkOnce(join(from, path), join(to, path))
      return
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || attempt === attempts) throw error
    }
  }
}

/** Indexes last: a pack counts from the moment in which it has one. */
async function objectFiles(objects: string): Promise<readonly string[]> {
  const files: string[] = []
  for (const folder of await readdir(objects)) {
    if (folder !== 'pack' && !/^[0-9a-f]{2}$/.test(folder)) continue
    for (const name of await readdir(join(objects, folder)))
      if (/^([0-9a-f]{38}|pack-[0-9a-f]{40}\.(pack|idx|rev))$/.test(name)) files.push(`${folder}/${name}`)
  }
  return files.sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')))
}

async function linkOnce(from: string, to: string): Promise<void> {
  try {
    await linkOrCopy(from, to)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return
    if (errorCode(error) !== 'ENOENT' || basename(to).startsWith('pack')) throw error
    await mkdir(dirname(to), { mode: 0o700 })
    await linkOrCopy(from, to)
  }
}
