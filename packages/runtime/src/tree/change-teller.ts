import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { resolveInside } from '../files/index.ts'
import { type Clock, errorCode } from '../kit/index.ts'
import { changesSince, type FileChange, isSameStamp, type Look } from './file-state.ts'
import { type ContentResult, type FileUpdate, largestContent, readContent } from './file-update.ts'
import type { Accepted, KnownFiles } from './known-files.ts'

export interface TellerOptions {
  readonly agentRoot: string
  readonly known: KnownFiles
  readonly clock: Clock
  readonly signal: AbortSignal
  /** A promise is waited for before more is read. */
  readonly onChange: (update: FileUpdate) => void | Promise<void>
  readonly onUnreadable: (path: string, code: string) => void
}

export interface Telling {
  /** Files came or went. */
  readonly isStructural: boolean
  readonly isChanged: boolean
  /** Files that were changed again before they were read; the next look finds them. */
  readonly stale: number
}

/** Read at the same time: with files of up to 1 MiB this bounds the memory, and it leaves threads to others. */
const readsAtOnce = 8
const changesPerTurn = 128

/**
 * Tells everything in a look that is not known yet, in order of path, a few files in memory at a time. Rejects with the
 * reason of the signal or with what `onChange` threw; what was told until then stays known.
 */
export async function tellChanges(look: Look, options: TellerOptions): Promise<Telling> {
  const { agentRoot, known, clock, signal } = options
  const seen = await changesSince(known, look)
  const hasGaps = look.gaps.length > 0
  const sum = { isStructural: false, isChanged: false, stale: 0 }
  for (let at = 0; at < seen.length; at += readsAtOnce) {
    if (at % changesPerTurn === 0) await setImmediate()
    signal.throwIfAborted()
    const group = seen
      .slice(at, at + readsAtOnce)
      .filter(({ kind, path }) => kind !== 'deleted' || !hasGaps || isGone(agentRoot, path))
    const readAt = clock.now().getTime()
    const results = await Promise.all(group.map(change => readChanged(change, options)))
    for (const [index, change] of group.entries()) {
      const result = results[index]
      const accepted = result ? known.accept(change, { result, readAt }) : known.forget(change.path)
      if (result?.kind === 'unreadable') options.onUnreadable(change.path, result.code)
      if (accepted.kind === 'tell') await options.onChange(accepted.update)
      signal.throwIfAborted()
      count(sum, change, accepted)
    }
  }
  return sum
}

function readChanged(change: FileChange, options: TellerOptions): Promise<ContentResult | undefined> {
  const { agentRoot, signal } = options
  const { kind, path, stamp } = change
  return kind === 'deleted' ? Promise.resolve(undefined) : readContent({ agentRoot, path, stamp, signal })
}

function count(
  sum: { -readonly [K in keyof Telling]: Telling[K] },
  { kind }: FileChange,
  accepted: Accepted,
): void {
  if (accepted.kind === 'stale') sum.stale++
  if (accepted.kind !== 'tell' && accepted.kind !== 'unspoken') return
  sum.isChanged = true
  if (kind === 'created' || kind === 'deleted') sum.isStructural = true
}

/** Not seen is not gone when a look had gaps. A link on the way to it means that it is no longer ours. */
function isGone(agentRoot: string, path: string): boolean {
  const place = resolveInside(agentRoot, path)
  if (!place.ok && place.reason === 'symlink') return true
  try {
    return !lstatSync(join(agentRoot, path), { throwIfNoEntry: false })?.isFile()
  } catch (error) {
    return errorCode(error) === 'ENOTDIR'
  }
}

/** About a tenth of a second of reading, once in the life of a watch. */
const mostFingerprints = 2_000
const mostFingerprintBytes = 16 * 1024 * 1024

/**
 * Reads the content of files that were adopted without reading them, so that writing the same content again is not told.
 * Only so many and so much of them, over all calls; large files never. Rejects only with the reason of the signal.
 */
export function createFingerprinter(options: Omit<TellerOptions, 'onChange' | 'onUnreadable' | 'clock'>) {
  const { agentRoot, known, signal } = options
  let files = mostFingerprints
  let bytes = mostFingerprintBytes

  async function print(path: string): Promise<void> {
    const stamp = known.files.get(path)
    if (!stamp || known.hasFingerprint(path)) return
    const read = await readContent({ agentRoot, path, stamp, signal })
    if (read.kind !== 'content' || read.content.sha256 === undefined) return
    const isAsKnown = isSameStamp(read.content.stamp, stamp) && known.files.get(path) === stamp
    if (isAsKnown) known.fingerprint(path, read.content.sha256)
  }

  return async function fingerprint(paths: readonly string[]): Promise<void> {
    const chosen = paths.filter(path => {
      const size = known.files.get(path)?.size ?? largestContent + 1
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
