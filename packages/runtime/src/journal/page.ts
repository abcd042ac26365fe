import type { LineDamage } from './line.ts'
import type { StoredEvent } from './line-reader.ts'

/** A stretch of a journal, small enough to hold and to send. */
export interface Page {
  readonly events: readonly StoredEvent[]
  readonly problems: readonly ReadProblem[]
}

/** A line that is damaged, or comes after missing ones, or repeats a number: its file and the byte it begins at. */
export interface ReadProblem {
  readonly file: string
  readonly offset: number
  readonly reason: LineDamage | 'missing' | 'doubled'
  /** How many lines are missing. */
  readonly count?: number
}

export interface PageLimits {
  readonly maxEvents?: number
  readonly maxBytes?: number
}

/** Gathers events until a limit is reached. One event larger than the limit still makes a page of its own. */
export function createPage({ maxEvents = 500, maxBytes = 1024 * 1024 }: PageLimits) {
  let events: StoredEvent[] = []
  let problems: ReadProblem[] = []
  let bytes = 0
  return {
    isEmpty: () => events.length === 0 && problems.length === 0,
    isFullWith: (stored: StoredEvent) =>
      events.length > 0 && (events.length >= maxEvents || bytes + stored.bytes > maxBytes),
    add(stored: StoredEvent) {
      events.push(stored)
      bytes += stored.bytes
    },
    problem: (problem: ReadProblem) => void problems.push(problem),
    take(): Page {
      const page = { events, problems }
      events = []
      problems = []
      bytes = 0
      return page
    },
  }
}
