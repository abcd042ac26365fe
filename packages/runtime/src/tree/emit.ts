import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type FileReading, isSameState, isTextName, resolveInside } from '../files/index.ts'
import { errorCode } from '../kit/index.ts'
import { changeOf, changesSince, type FileChange, type FileScan, unnameable } from './changes.ts'
import {
  type ContentResult,
  contentOfBytes,
  contentOfDigest,
  createContentDigest,
  emittedKeyOf,
  type FileContent,
  type FileUpdate,
  largestContent,
  readContent,
} from './content.ts'
import type { Accepted, EmittedFiles } from './emitted-files.ts'
import { isLink } from './git-objects.ts'
import { fileAt, filesBelow } from './known-tree.ts'
import type { Gap } from './scan.ts'
import type { StoredScan } from './scan-cache.ts'
import type { Selection } from './selection.ts'

export interface EmitOptions {
  readonly agentRoot: string
  readonly emitted: EmittedFiles
  /** The time of the file system, see `FileSystem`. */
  readonly now: () => number
  readonly signal: AbortSignal
  /** A promise is waited for before more is read. */
  readonly onChange: (update: FileUpdate) => void | Promise<void>
  readonly onGap: (gap: Gap) => void
}

export interface Emission {
  /** Files came or went. */
  readonly isStructural: boolean
  readonly isChanged: boolean
  /** Files that were changed again before they were read; the next scan finds them. */
  readonly stale: number
}

/** Read at the same time: with files of up to 1 MiB this bounds the memory, and it leaves threads to others. */
const readsAtOnce = 8
const changesPerTurn = 128

/**
 * Emits everything in a scan that was not emitted yet, in order of path, a few files in memory at a time. Rejects with the
 * reason of the signal or with what `onChange` threw; what was emitted until then stays known.
 */
export async function emitChanges(scan: FileScan, options: EmitOptions): Promise<Emission> {
  const { agentRoot, emitted, signal } = options
  const seen = await changesSince(emitted, scan)
  const hasGaps = scan.gaps.length > 0
  const emission = createEmission(options)
  for (let at = 0; at < seen.length; at += readsAtOnce) {
    if (at % changesPerTurn === 0) await setImmediate()
    signal.throwIfAborted()
    const group = seen
      .slice(at, at + readsAtOnce)
      .filter(({ kind, path }) => kind !== 'deleted' || !hasGaps || isGone(agentRoot, path))
    const now = options.now()
    const results = await Promise.all(group.map(change => readChanged(change, now, options)))
    for (const [index, change] of group.entries()) await emission.add(change, results[index])
  }
  return emission.sum
}

async function readChanged(
  { kind, path, key }: FileChange,
  now: number,
  { agentRoot, signal }: EmitOptions,
): Promise<ContentResult | undefined> {
  return kind === 'deleted' ? undefined : readContent({ agentRoot, path, key, now, signal })
}

/** Takes in one change after the other and emits what is news; `undefined`: the file is gone. */
function createEmission({ emitted, signal, onChange, onGap }: EmitOptions) {
  const sum = { isStructural: false, isChanged: false, stale: 0 }
  return {
    sum,
    async add(change: FileChange, result: ContentResult | undefined): Promise<void> {
      const accepted = result ? emitted.accept(change, result) : emitted.forget(change.path)
      if (result?.kind === 'unreadable') onGap({ kind: 'unreadable', path: change.path, code: result.code })
      if (accepted.kind === 'emit') await onChange(accepted.update)
      signal.throwIfAborted()
      count(sum, change, accepted)
    },
  }
}

function count(
  sum: { -readonly [K in keyof Emission]: Emission[K] },
  { kind }: FileChange,
  accepted: Accepted,
): void {
  if (accepted.kind === 'stale') sum.stale++
  if (accepted.kind !== 'emit' && accepted.kind !== 'silent') return
  sum.isChanged = true
  if (kind === 'created' || kind === 'deleted') sum.isStructural = true
}

/** Not seen is not gone when a scan had gaps. A link on the way to it means that it is no longer ours. */
function isGone(agentRoot: string, path: string): boolean {
  const place = resolveInside(agentRoot, path)
  if (!place.ok && place.reason === 'symlink') return true
  try {
    return !lstatSync(join(agentRoot, path), { throwIfNoEntry: false })?.isFile()
  } catch (error) {
    return errorCode(error) === 'ENOTDIR'
  }
}

/** Hears of one scan what a checkpoint finds and reads. Bytes are good until the call returns. Nothing here rejects. */
export interface ScanObserver {
  /** After the scan, before anything is read. Resolves with files to be read besides those that were found. */
  scanned(scan: StoredScan, selection: Selection): Promise<readonly string[]>
  /** In order of path. */
  read(path: string, reading: Exclude<FileReading, { readonly kind: 'large' }>): Promise<void>
  /** Instead of `read`, for a file that does not fit into memory: all of its bytes, then `end`. */
  large(): { add(chunk: Buffer): void; end(path: string, stats: Stats): Promise<void> }
  /** After the last file. */
  finished(): Promise<void>
}

export interface ObserverOptions extends EmitOptions {
  readonly selection: Selection
  readonly onEnd: (emission: Emission) => Promise<void>
}

/**
 * Emits what a checkpoint reads, byte for byte, so that clients are told exactly what it holds. Files that were stored
 * earlier but not emitted yet are asked for too. What goes wrong with emitting is the `failure`; the checkpoint goes on.
 */
export function createScanObserver(
  options: ObserverOptions,
): ScanObserver & { failure(): { readonly error: unknown } | undefined } {
  const { emitted, signal, selection, onGap } = options
  const emission = createEmission(options)
  let deletions: readonly FileChange[] = []
  let now = 0
  let failure: { readonly error: unknown } | undefined

  /** Once emitting has failed, or the watch was closed, nothing more is emitted. */
  async function unlessOver(work: () => Promise<void>): Promise<void> {
    if (failure || signal.aborted) return
    try {
      await work()
    } catch (error) {
      if (!signal.aborted) failure = { error }
    }
  }

  async function emitDeletions(before?: string): Promise<void> {
    const end = before === undefined ? -1 : deletions.findIndex(({ path }) => path >= before)
    const due = end === -1 ? deletions : deletions.slice(0, end)
    deletions = end === -1 ? [] : deletions.slice(end)
    for (const [turn, deletion] of due.entries()) {
      if (turn % changesPerTurn === 0) await setImmediate()
      await emission.add(deletion, undefined)
    }
  }

  async function take(path: string, content: FileContent): Promise<void> {
    const before = emitted.files.get(path)
    if (!before && !selection.selects(path)) return
    const kind = changeOf(before, content.key)
    if (kind) await emission.add({ path, kind, key: content.key }, { kind: 'content', content })
  }

  async function takeReading(path: string, reading: Parameters<ScanObserver['read']>[1]): Promise<void> {
    const before = emitted.files.get(path)
    if (reading.kind === 'unreadable') {
      if (before) await emission.add({ path, kind: 'doubtful', key: before }, reading)
      else onGap({ ...reading, path })
    } else if (reading.kind === 'gone' || !reading.stats.isFile()) {
      if (before) await emission.add({ path, kind: 'deleted', key: before }, undefined)
    } else if (isTextName(path)) {
      await take(path, contentOfBytes(reading.bytes, emittedKeyOf(reading.stats, now)))
    } else onGap(unnameable(path))
  }

  return {
    failure: () => failure,
    async scanned(scan, stored) {
      now = scan.now
      const lag = await lagOf(emitted, scan, stored)
      deletions = lag.deletions
      return lag.unread.filter(path => emitted.files.has(path) || selection.selects(path))
    },
    read: (path, reading) =>
      unlessOver(async () => {
        await emitDeletions(path)
        await takeReading(path, reading)
      }),
    large() {
      const digest = createContentDigest()
      return {
        add: digest.add,
        end: (path, stats) =>
          unlessOver(async () => {
            await emitDeletions(path)
            if (!isTextName(path)) onGap(unnameable(path))
            else await take(path, contentOfDigest(digest.digest(), emittedKeyOf(stats, now)))
          }),
      }
    },
    finished: () =>
      unlessOver(async () => {
        await emitDeletions()
        await options.onEnd(emission.sum)
      }),
  }
}

interface Lag {
  /** Emitted files that the checkpoint does not hold although it selects them; those that were found speak for themselves. */
  readonly deletions: readonly FileChange[]
  /** Files that were stored before this scan, and not emitted in that state. */
  readonly unread: readonly string[]
}

/** Where what was emitted lags behind what is stored. */
async function lagOf(
  { files }: EmittedFiles,
  { root, found, gone }: StoredScan,
  stored: Selection,
): Promise<Lag> {
  const deletions: FileChange[] = []
  const unread: string[] = []
  let turn = 0
  for (const [path, { mode, key }] of filesBelow(root, '')) {
    if (++turn % comparedPerTurn === 0) await setImmediate()
    const before = files.get(path)
    if (before && !before.isRacy && isSameState(before, key)) continue
    if (!found.has(path) && !gone.has(path) && !isLink(mode) && isTextName(path)) unread.push(path)
  }
  for (const [path, key] of files) {
    if (++turn % comparedPerTurn === 0) await setImmediate()
    const isHeld = found.has(path) || (!gone.has(path) && fileAt(root, path) !== undefined)
    if (!isHeld && stored.selects(path)) deletions.push({ path, kind: 'deleted', key })
  }
  return { deletions: deletions.sort((a, b) => (a.path < b.path ? -1 : 1)), unread }
}

const comparedPerTurn = 5_000

/** About a tenth of a second of reading, once in the life of a watch. */
const mostFingerprints = 2_000
const mostFingerprintBytes = 16 * 1024 * 1024

/**
 * Reads the content of files that were adopted without reading them, so that writing the same content again is not
 * emitted. Only so many and so much of them, over all calls; large files never. Rejects only with the reason of the signal.
 */
export function createFingerprinter(options: Pick<EmitOptions, 'agentRoot' | 'emitted' | 'signal' | 'now'>) {
  const { agentRoot, emitted, signal, now } = options
  let files = mostFingerprints
  let bytes = mostFingerprintBytes

  async function print(path: string): Promise<void> {
    const key = emitted.files.get(path)
    if (!key || emitted.hasFingerprint(path)) return
    const read = await readContent({ agentRoot, path, key, now: now(), signal })
    if (read.kind !== 'content' || read.content.sha256 === undefined) return
    const isAsKnown = isSameState(read.content.key, key) && emitted.files.get(path) === key
    if (isAsKnown) emitted.fingerprint(path, read.content.sha256)
  }

  return async function fingerprint(paths: readonly string[]): Promise<void> {
    const chosen = paths.filter(path => {
      const size = emitted.files.get(path)?.size ?? largestContent + 1
      if (size > largestContent || size > bytes || files === 0) return false
      files--
      bytes -= size
      return true
    })
    for (let at = 0; at < chosen.length; at += readsAtOnce) {
      signal.throwIfAborted()
      await Promise.all(chosen.slice(at, at + readsAtOnce).map(print))
    }
  }
}
