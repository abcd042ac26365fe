import { mkdir, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { linkOrCopy } from '../files/index.ts'
import { errorCode, type Failure, type Refused } from '../kit/index.ts'
import { createGit, type GitPlace } from '../tree/index.ts'
import { checkGit, prepareStore } from './open-store.ts'
import { createRefs } from './refs.ts'

export interface CloneOptions extends GitPlace {
  /** The git directory of the other store, which may be in use. */
  readonly from: string
  /** What the new store knows of: full names of refs with what they name. */
  readonly refs: Promise<ReadonlyMap<string, string>>
}

/**
 * A store of its own with the objects of another: their files, which never change, are linked or copied, so that it needs
 * the other no more. `gitDir` must not exist. Rejects with the system's error.
 */
export async function cloneStore({
  from,
  refs,
  ...place
}: CloneOptions): Promise<Refused<Failure> | { readonly ok: true }> {
  const git = createGit(place)
  await mkdir(place.gitDir, { recursive: true, mode: 0o700 })
  const [unfit, unprepared] = await Promise.all([
    checkGit(place.environment),
    prepareStore(place.gitDir, git),
  ])
  const trouble = unfit ?? unprepared
  if (trouble) return { ok: false, ...trouble }
  await linkObjects(join(from, 'objects'), join(place.gitDir, 'objects'))
  const book = createRefs(place.gitDir, git)
  for (const [ref, sha] of await refs) await (await book.prepare(ref, sha)).write()
  return { ok: true }
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
