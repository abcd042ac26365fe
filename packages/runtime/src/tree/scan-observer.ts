import type { Stats } from 'node:fs'
import { isTextName } from '../files/index.ts'
import { createDigester } from './content.ts'
import { Emission, type EmissionOptions, type SmallReading } from './emission.ts'
import type { EmittedFile, EmittedFiles } from './emitted-files.ts'
import { isLink } from './git-objects.ts'
import type { KnownDirectory } from './known-tree.ts'
import type { StoredScan } from './scan-cache.ts'
import type { Selection } from './selection.ts'
import { isUnchanged } from './stat-key.ts'

/** Hears of one scan what a checkpoint finds and reads. Bytes are good until the call returns. Nothing here rejects. */
export interface ScanObserver {
  /** After the scan, before anything is read. Resolves with files to be read besides those that were found. */
  scanned(scan: StoredScan, selection: Selection): Promise<readonly string[]>
  /** In order of path. */
  read(path: string, reading: SmallReading): Promise<void>
  /** Instead of `read`, for a file that does not fit into memory: all of its bytes, then `end`. */
  large(): { add(chunk: Buffer): void; end(path: string, stats: Stats): Promise<void> }
  /** After the last file. */
  finished(): Promise<void>
}

export interface ObserverOptions extends EmissionOptions {
  readonly onScan: (scan: StoredScan) => void
  readonly onEnd: (emission: Emission) => void | Promise<void>
}

/**
 * Emits what a checkpoint reads, byte for byte, so that clients are told exactly what it holds. Files that were stored
 * earlier but not emitted yet are asked for too. What goes wrong with emitting is the `failure`; the checkpoint goes on.
 */
export function createScanObserver(
  options: ObserverOptions,
): ScanObserver & { failure(): { readonly error: unknown } | undefined } {
  const { emitted, signal, selection } = options
  let emission: Emission | undefined
  let failure: { readonly error: unknown } | undefined

  /** Once emitting has failed, or the watch was closed, nothing more is emitted. */
  async function unlessOver(work: (emission: Emission) => Promise<void>): Promise<void> {
    if (!emission || failure || signal.aborted) return
    try {
      await work(emission)
    } catch (error) {
      if (!signal.aborted) failure = { error }
    }
  }

  return {
    failure: () => failure,
    async scanned(scan, stored) {
      options.onScan(scan)
      const { deletions, unread } = lagOf(emitted, scan, stored)
      emission = new Emission(options, scan, deletions)
      return unread.filter(path => emitted.get(path) || selection.selects(path))
    },
    read: (path, reading) => unlessOver(emission => emission.take(path, reading)),
    large() {
      const digester = createDigester()
      return {
        add: digester.add,
        end: (path, stats) => unlessOver(emission => emission.takeLarge(path, digester.digest(), stats)),
      }
    },
    finished: () =>
      unlessOver(async emission => {
        await emission.takeDeletions()
        await options.onEnd(emission)
      }),
  }
}

/** Where what was emitted lags behind what is stored; what was found speaks for itself. */
function lagOf({ root, get }: EmittedFiles, scan: StoredScan, stored: Selection) {
  const { found, gone } = scan
  const { unheld, unread } = differencesOf(scan.root, root)
  return {
    /** Emitted files that the checkpoint does not hold although it selects them. */
    deletions: [...gone, ...unheld].filter(path => !found.has(path) && get(path) && stored.selects(path)),
    /** Files that were stored before this scan, and not emitted in that state. */
    unread: unread.filter(path => !found.has(path) && !gone.has(path) && isTextName(path)),
  }
}

type Stored = KnownDirectory | undefined
type Emitted = KnownDirectory<EmittedFile> | undefined

/** Side by side, so that files that are the same in both, nearly all, cost next to nothing. */
function differencesOf(stored: Stored, emitted: Emitted) {
  const unread: string[] = []
  const unheld: string[] = []
  const compare = (stored: Stored, emitted: Emitted, prefix: string): void => {
    for (const [name, { mode, key }] of stored?.files ?? []) {
      const isEmitted = isUnchanged(emitted?.files.get(name)?.key, key)
      if (!isEmitted && !isLink(mode)) unread.push(prefix + name)
    }
    for (const name of emitted?.files.keys() ?? []) if (!stored?.files.has(name)) unheld.push(prefix + name)
    for (const [name, below] of stored?.directories ?? [])
      compare(below, emitted?.directories.get(name), `${prefix}${name}/`)
    for (const [name, below] of emitted?.directories ?? [])
      if (!stored?.directories.has(name)) compare(undefined, below, `${prefix}${name}/`)
  }
  compare(stored, emitted, '')
  return { unread, unheld }
}
