import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSha, readVersions } from '../checkpoint/index.ts'
import { removeTree } from '../files/index.ts'
import { type Clock, createId, fieldsOf, listOf, messageOf, type Result, textOf } from '../kit/index.ts'
import { type ExecutionLayout, partOf } from '../workspace/index.ts'

export interface AheadOptions {
  readonly layout: ExecutionLayout
  /** A name of `weave checkpoints`. */
  readonly at: string
  /** Where the fork will stand: the same file system, so that the files can be moved into it. */
  readonly beside: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
}

/** The files of a version, being written. */
export interface FilesAhead {
  readonly sha: string
  readonly directory: string
  /** Never rejects. */
  readonly names: Names['told']
  /** Never rejects. */
  readonly written: Promise<Result>
  /** Ends the writing, and removes what was not moved away. Never rejects. */
  drop(): Promise<void>
}

/**
 * Lets git write the files of the version that a fork probably begins with, while its execution is still being read: for ten thousand
 * files both take the same time. The guess is from the state as it was written down last, which nobody has checked: whoever
 * takes the files compares the version. Undefined: there is nothing to guess from. Never throws.
 */
export function filesAhead({ layout, at, beside, environment, clock }: AheadOptions): FilesAhead | undefined {
  const sha = guess(layout.stateFile, at)
  const part = partOf(join(beside, createId('fork')))
  const directory = join(part, 'files')
  if (sha === undefined || !areMade([part, directory])) return undefined
  const dropped = new AbortController()
  const { signal } = dropped
  const names = createNames()
  const written = readVersions({ gitDir: layout.checkpoints, environment, clock })
    .checkOut(sha, directory, { signal, onNames: names.tell })
    .catch((error: unknown) => ({ ok: false as const, message: messageOf(error) }))
    .finally(() => names.tell(noNames))
  return {
    sha,
    directory,
    names: names.told,
    written,
    async drop() {
      dropped.abort()
      await written
      await removeTree(part).catch(() => undefined)
    },
  }
}

export type Names = ReturnType<typeof createNames>

export const noNames = Buffer.of()

/** What the version calls its files, each with a NUL behind it, as soon as git has said it; nothing, if it never does. */
export function createNames() {
  let tell: (names: Buffer) => void = () => undefined
  const told = new Promise<Buffer>(resolve => {
    tell = resolve
  })
  return { tell, told }
}

/** False where they cannot be made: then there is no place for the fork yet, or it will be said why there is none. */
function areMade(directories: readonly string[]): boolean {
  try {
    for (const directory of directories) mkdirSync(directory, { mode: 0o700 })
    return true
  } catch {
    return false
  }
}

/** Of a codon its last end; other names are understood when everything is known. */
function guess(stateFile: string, at: string): string | undefined {
  try {
    const { runs } = fieldsOf(
      fieldsOf(fieldsOf(JSON.parse(readFileSync(stateFile, 'utf8')))['body'])['state'],
    )
    const codons = listOf(runs).flatMap(run => listOf(fieldsOf(run)['codons']))
    const { completed, error, skipped } = fieldsOf(
      fieldsOf(codons.findLast(codon => fieldsOf(codon)['codonId'] === at))['checkpoints'],
    )
    const sha = textOf(completed ?? error ?? skipped)
    return sha !== undefined && isSha(sha) ? sha : undefined
  } catch {
    return undefined
  }
}
