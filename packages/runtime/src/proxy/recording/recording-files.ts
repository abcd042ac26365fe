import { join } from 'node:path'
import type { ExchangeEnding } from '../exchange-observer.ts'

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
