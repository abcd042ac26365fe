import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ensureDir, removeTree } from '../files/index.ts'
import { createId, errorCode, type Failure, isAlive, type Result, wordsOf } from '../kit/index.ts'
import { claimInstall } from './install-lock.ts'
import { type HarnessWord, installableHarnesses, installLine } from './installable.ts'
import { type NpmOptions, npmInstall } from './npm-install.ts'
import { harnessFolder, searchHome } from './resolve-harness.ts'

export interface InstallOptions extends NpmOptions {
  readonly home: string
}

export type InstallEnd = Result<{ readonly folder: string; readonly version: string }, Failure>

/**
 * Installs a harness below the home directory, in place of one that is there. It is made aside and takes its place when
 * it is whole: whatever fails, the one before stays, and nothing else does. Never rejects.
 */
export async function installHarness(word: HarnessWord, options: InstallOptions): Promise<InstallEnd> {
  const folder = harnessFolder(options.home, word)
  return inTurn(word, folder, async aside => {
    await mkdir(aside, { mode: 0o700 })
    await writeFile(join(aside, 'package.json'), '{ "private": true }\n')
    const failed = await npmInstall(word, aside, options)
    if (failed) return { ok: false, ...failed }
    const found = searchHome(word, aside)
    if (!found?.ok) return found ?? { ok: false, ...incomplete(word) }
    await putInPlace(aside, folder)
    return { ok: true, folder, version: found.version }
  })
}

/** Removes what `installHarness` made. Never rejects. */
export async function removeHarness(word: HarnessWord, home: string): Promise<InstallEnd> {
  const folder = harnessFolder(home, word)
  return inTurn(word, folder, async aside => {
    // At once under another name, so that no run finds the half of it.
    await rename(folder, aside)
    return { ok: true, folder, version: '' }
  })
}

function incomplete(word: HarnessWord): Failure {
  const { title } = installableHarnesses[word]
  return { message: `npm said that it installed the ${title}, but it is not there.`, cure: installLine(word) }
}

/** One process at a time for each harness; `aside` is gone at the end, also what others left who were killed. */
async function inTurn(
  word: HarnessWord,
  folder: string,
  work: (aside: string) => Promise<InstallEnd>,
): Promise<InstallEnd> {
  const base = dirname(folder)
  try {
    await ensureDir(base)
    const lock = await claimInstall(base, word)
    if (!lock.ok) return { ok: false, ...busy(word, lock.holder) }
    const aside = join(base, `.${word}-${process.pid}-${createId('new')}`)
    try {
      await removeLeftovers(base, word)
      return await work(aside)
    } finally {
      await removeTree(aside)
      await lock.release()
    }
  } catch (error) {
    const message = `The ${installableHarnesses[word].title} cannot be changed in ${base}: ${wordsOf(error)}.`
    return { ok: false, message, cure: installLine(word) }
  }
}

function busy(word: HarnessWord, holder: number): Failure {
  const { title } = installableHarnesses[word]
  return {
    message: `Process ${holder} is installing or removing the ${title} at this moment. Wait until it is done.`,
    cure: 'weave harness list',
  }
}

async function removeLeftovers(base: string, word: HarnessWord): Promise<void> {
  const owned = new RegExp(`^\\.${word}-(\\d+)-`)
  for (const name of await readdir(base)) {
    const owner = owned.exec(name)?.[1]
    if (owner !== undefined && !isAlive(Number(owner))) await removeTree(join(base, name))
  }
}

/** A directory cannot replace one that is not empty, so the old one steps aside for a moment. */
async function putInPlace(made: string, folder: string): Promise<void> {
  const old = `${made}-old`
  const hadOld = await rename(folder, old).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) === 'ENOENT') return false
      throw error
    },
  )
  try {
    await rename(made, folder)
  } catch (error) {
    if (hadOld) await rename(old, folder)
    throw error
  }
  if (hadOld) await removeTree(old)
}
