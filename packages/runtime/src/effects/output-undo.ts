import { type BigIntStats, lstatSync, readdirSync, unlinkSync } from 'node:fs'
import {
  createDirectoryChain,
  type HeldDirectory,
  namesOf,
  removeTree,
  syncDirectory,
} from '../files/index.ts'
import { type Result, wordsOf } from '../kit/index.ts'
import { isConflictName } from './output-sources.ts'
import { type OutputCopy, pathBelow, stagedFiles, stagingOf } from './output-staging.ts'

/** `removed`: relative to the output directory. */
export type OutputsSettled = Result<{ readonly removed: readonly string[] }>

/** Tidies up after a copy that is on record as done. Idempotent; never rejects. */
export async function settleOutputs(copy: OutputCopy): Promise<OutputsSettled> {
  try {
    if (isThere(stagingOf(copy))) {
      await removeTree(stagingOf(copy))
      // The record of the copy goes next; after a power cut without it nobody would look for the directory.
      await syncDirectory(copy.directory)
    }
    return { ok: true, removed: [] }
  } catch (error) {
    return { ok: false, message: `cannot tidy up ${copy.directory}: ${wordsOf(error)}` }
  }
}

/**
 * Takes back a copy that is not settled: what it put into the output directory goes, under whatever name, and
 * nothing else does; directories stay. Idempotent; never rejects.
 *
 * Two things cannot be taken back: what `overwrite` has replaced, which the next copy replaces again, and, where there
 * are no hard links, what already has its name.
 */
export async function undoOutputs(copy: OutputCopy): Promise<OutputsSettled> {
  try {
    const removed = isThere(stagingOf(copy)) ? await takeBack(copy) : []
    const settled = await settleOutputs(copy)
    return settled.ok ? { ok: true, removed } : settled
  } catch (error) {
    return { ok: false, message: `cannot take back what was copied to ${copy.directory}: ${wordsOf(error)}` }
  }
}

async function takeBack(copy: OutputCopy): Promise<readonly string[]> {
  const removed: string[] = []
  const gathered = createDirectoryChain(stagingOf(copy))
  const outputs = createDirectoryChain(copy.directory)
  try {
    for await (const { path, parent, name } of stagedFiles(copy)) {
      const file = lstatSync(gathered.mustEnter(namesOf(parent)).at(name), { bigint: true })
      if (file.nlink === 1n) continue
      const entered = outputs.reach(path)
      const final = entered.ok ? nameOf(file, entered.directory, name) : undefined
      if (!entered.ok || final === undefined) continue
      unlinkSync(entered.directory.at(final))
      removed.push(pathBelow(parent, final))
    }
    return removed
  } finally {
    gathered.close()
    outputs.close()
  }
}

function nameOf(file: BigIntStats, directory: HeldDirectory, name: string): string | undefined {
  const isIt = (candidate: string) => {
    const stats = lstatSync(directory.at(candidate), { bigint: true, throwIfNoEntry: false })
    return stats?.ino === file.ino && stats.dev === file.dev
  }
  if (isIt(name)) return name
  return readdirSync(directory.at('.')).find(candidate => isConflictName(candidate, name) && isIt(candidate))
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
