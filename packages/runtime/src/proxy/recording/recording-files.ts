import { createHash } from 'node:crypto'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile, writeFileAtomic } from '../../files/index.ts'
import { messageOf } from '../../kit/index.ts'
import type { ExchangeEnding } from '../transport.ts'

/**
 * A recording is a directory: `recording.json` says what it is, `exchanges.jsonl` has one line for each exchange and one
 * that says it is whole, `bodies` has what was asked and answered, each under its SHA-256.
 */
export function recordingFiles(directory: string) {
  return {
    about: join(directory, 'recording.json'),
    exchanges: join(directory, 'exchanges.jsonl'),
    bodies: join(directory, 'bodies'),
  }
}

export const recordingFormat = 'weave-recording'
/** One higher with every change of the files or of what makes two requests equal. */
export const recordingVersion = 1

/** `recording.json`. */
export interface AboutRecording {
  readonly format: typeof recordingFormat
  readonly version: number
  readonly weaveVersion: string
  /** Codons whose traffic was not recorded, by their ids. */
  readonly unrecorded: readonly string[]
}

/** A line of `exchanges.jsonl`. Lines stand in the order in which exchanges ended. */
export interface RecordedExchange {
  /** Runtime id; absent when no codon was running. */
  readonly codonId?: string
  readonly attempt?: number
  /** Counted from 1 within the codon, in the order in which requests came. */
  readonly turn: number
  readonly method: string
  readonly path: string
  /** The normalised request, among the bodies; absent when it was too large to be kept. */
  readonly request?: string
  /** Absent when no answer came. */
  readonly status?: number
  readonly headers: Readonly<Record<string, string>>
  /** In which the answer came; it is kept without. */
  readonly contentEncoding?: string
  /** Among the bodies; absent when it was empty, or could not be kept. */
  readonly body?: string
  /** Why the body could not be kept. */
  readonly unkept?: string
  readonly ending: ExchangeEnding
  /** Two moments on one count, which say what was under way at the same time. */
  readonly began: number
  readonly ended: number
}

/** The last line of a whole recording. */
export interface RecordingEnd {
  readonly exchanges: number
}

/** Whose request it is. */
export interface CodonMark {
  /** Runtime id; absent when no codon runs. */
  readonly codonId?: string
  readonly attempt?: number
}

type ClaimedRecording =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string; readonly cure: string }

/** Makes a directory a recording, if it is new or empty, or was claimed and nothing came of it. Never rejects. */
export async function claimRecording(
  directory: string,
  about: Pick<AboutRecording, 'weaveVersion' | 'unrecorded'>,
): Promise<ClaimedRecording> {
  const content: AboutRecording = { format: recordingFormat, version: recordingVersion, ...about }
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const files = recordingFiles(directory)
    const present = await readdir(directory)
    if (present.some(name => join(directory, name) !== files.about))
      return {
        ok: false,
        message: `${directory} is not empty.`,
        cure: 'Name a new directory for the recording.',
      }
    await writeFileAtomic(files.about, `${JSON.stringify(content, null, 2)}\n`)
    return { ok: true }
  } catch (error) {
    const message = messageOf(error)
    return {
      ok: false,
      message: `No recording can be made in ${directory}: ${message}`,
      cure: 'Name another directory for the recording.',
    }
  }
}

/** Bodies, each in one file under its SHA-256. */
export interface BodyStore {
  /** Written once, however often it comes. Rejects with the system's error. */
  put(bytes: Buffer): Promise<string>
  /** Undefined when it is missing or not what it was. */
  get(sha256: string): Promise<Buffer | undefined>
}

export function createBodyStore(directory: string): BodyStore {
  const written = new Set<string>()
  return {
    async put(bytes) {
      const sha256 = sha256Of(bytes)
      if (written.has(sha256)) return sha256
      await mkdir(directory, { recursive: true, mode: 0o700 })
      await writeFileAtomic(join(directory, sha256), bytes)
      written.add(sha256)
      return sha256
    },
    async get(sha256) {
      if (!isSha256(sha256)) return undefined
      const read = await readRegularFile(join(directory, sha256), { maxBytes: largestBody })
      return read.ok && sha256Of(read.bytes) === sha256 ? read.bytes : undefined
    },
  }
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Bytes; more is not kept. */
export const largestBody = 64 * 1024 * 1024

function isSha256(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}
