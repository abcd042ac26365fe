import type { Stats } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { bytesOfName, createTreeReader, type FileReading, isTextName } from '../files/index.ts'
import { errorCode } from '../kit/index.ts'
import {
  type ContentDigest,
  contentOfBytes,
  contentOfDigest,
  digestLarge,
  emittedKeyOf,
  type FileContent,
  type FileUpdate,
} from './content.ts'
import type { EmittedFiles } from './emitted-files.ts'
import type { Scan } from './scan.ts'
import type { Selection } from './selection.ts'
import type { Gap } from './tree-walk.ts'

export interface EmissionOptions {
  readonly emitted: EmittedFiles
  /** Files that were not emitted before are only if they are selected. */
  readonly selection: Selection
  readonly signal: AbortSignal
  /** A promise is waited for before more is read. */
  readonly onChange: (update: FileUpdate) => void | Promise<void>
  readonly onGap: (gap: Gap) => void
}

/** What was read at a place, if it fits into memory. */
export type SmallReading = Exclude<FileReading, { readonly kind: 'large' }>

const filesPerTurn = 32
const deletionsPerTurn = 128

/**
 * Emits everything in a scan that was not emitted yet, in order of path, one file in memory at a time. The methods reject
 * with the reason of the signal or with what `onChange` threw; what was emitted until then stays known.
 */
export class Emission {
  /** Files came or went. */
  isStructural = false
  /** Files that could not be read just now; the next scan finds them. */
  stale = 0
  readonly #options: EmissionOptions
  readonly #scan: Pick<Scan, 'found' | 'now'>
  readonly #deletions: readonly string[]
  #deleted = 0

  /** `deletions`: emitted files that are gone. */
  constructor(options: EmissionOptions, scan: Pick<Scan, 'found' | 'now'>, deletions: Iterable<string>) {
    this.#options = options
    this.#scan = scan
    this.#deletions = [...deletions].sort()
  }

  /** Reads these files and takes them in. */
  async readAll(agentRoot: string, paths: Iterable<string>): Promise<void> {
    const { signal } = this.#options
    const reader = createTreeReader(agentRoot)
    try {
      for (const [turn, path] of [...paths].sort().entries()) {
        if (turn % filesPerTurn === 0) await setImmediate()
        signal.throwIfAborted()
        const reading = await reader.read(path).catch(unreadable)
        if (reading.kind === 'large') await this.#readLarge(path, reading.file)
        else await this.take(path, reading)
      }
    } finally {
      reader.close()
    }
    await this.takeDeletions()
  }

  async #readLarge(path: string, file: Extract<FileReading, { kind: 'large' }>['file']): Promise<void> {
    const { signal } = this.#options
    try {
      const digest = await digestLarge(file, { signal }).catch(unreadable)
      signal.throwIfAborted()
      if ('kind' in digest) await this.take(path, digest)
      else await this.takeLarge(path, digest, file.stats)
    } finally {
      file.close()
    }
  }

  /** In order of path. */
  async take(path: string, reading: SmallReading): Promise<void> {
    await this.takeDeletions(path)
    if (reading.kind === 'gone' || (reading.kind === 'read' && !reading.stats.isFile())) {
      if (this.#options.emitted.get(path)) await this.#delete(path)
    } else if (reading.kind === 'unreadable') this.#takeUnread(path, reading.code)
    else await this.#accept(path, reading.stats, key => contentOfBytes(reading.bytes, key))
  }

  /** Of a file that does not fit into memory. */
  async takeLarge(path: string, digest: ContentDigest, stats: Stats): Promise<void> {
    await this.takeDeletions(path)
    await this.#accept(path, stats, key => contentOfDigest(digest, key))
  }

  /** Those before a path, or all. */
  async takeDeletions(before?: string): Promise<void> {
    for (;;) {
      const path = this.#deletions[this.#deleted]
      if (path === undefined || (before !== undefined && path >= before)) return
      if (this.#deleted++ % deletionsPerTurn === 0) await setImmediate()
      await this.#delete(path)
    }
  }

  async #accept(
    path: string,
    stats: Stats,
    contentWith: (key: FileContent['key']) => FileContent,
  ): Promise<void> {
    const { emitted, selection, onGap } = this.#options
    if (!isTextName(path)) return onGap(unnameable(path))
    const isNew = !emitted.get(path)
    if (isNew && !selection.selects(path)) return
    await this.#emit(emitted.accept(path, contentWith(emittedKeyOf(stats, this.#scan.now))))
    this.isStructural ||= isNew
  }

  async #delete(path: string): Promise<void> {
    await this.#emit(this.#options.emitted.forget(path))
    this.isStructural = true
  }

  async #emit(update: FileUpdate | undefined): Promise<void> {
    const { onChange, signal } = this.#options
    if (update) await onChange(update)
    signal.throwIfAborted()
  }

  #takeUnread(path: string, code: string): void {
    const { emitted, onGap } = this.#options
    if (passing.has(code)) {
      this.stale++
      return
    }
    onGap({ kind: 'unreadable', path, code })
    const seen = this.#scan.found.get(path)
    if (!seen) return
    this.isStructural ||= !emitted.get(path)
    emitted.acceptUnread(path, emittedKeyOf(seen, this.#scan.now))
  }
}

/** Errors that are about us, or about a file that is no longer there, and not about one that cannot be read. */
const passing = new Set(['ENOENT', 'ENOTDIR', 'ESTALE', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EBUSY'])

/** An error without a code is one of our own: the file was cut short. */
function unreadable(error: unknown): Extract<FileReading, { kind: 'unreadable' }> {
  return { kind: 'unreadable', code: errorCode(error) ?? 'ESTALE' }
}

/** Up to the first name that is no UTF-8. */
export function unnameable(path: string): Gap {
  const names = path.split('/')
  const end = names.findIndex(name => !isTextName(name)) + 1
  return { kind: 'unreadable', path: bytesOfName(names.slice(0, end).join('/')).toString(), code: 'EILSEQ' }
}
