import type { Announcer } from './announce.ts'
import type { Move } from './decide.ts'
import type { RunBook } from './run-book.ts'
import type { RunnerEnd } from './runner.ts'

export interface RunEndsOptions {
  readonly book: RunBook
  readonly say: Announcer
  /** Nobody is waited for when the hank has come to its end. */
  readonly endsWithHank: boolean
}

/** The ways in which a run comes to a stop. Each returns the end of the server when there is nothing left to wait for. */
export function createRunEnds({ book, say, endsWithHank }: RunEndsOptions) {
  const close = (outcome: 'completed' | 'stopped', reason?: string): void => {
    if (!book.isOpen()) return
    book.close(outcome, reason)
    say.runEnd(book.summary())
  }

  return {
    close,
    finish(): RunnerEnd | undefined {
      close('completed')
      say.idle('all-codons-completed', 'All codons are done.')
      return endsWithHank ? { status: 'completed' } : undefined
    },
    /** A retriable failure leaves the server up for a redo; any other ends it. */
    abort({ codonId, retriable, reason }: Move & { kind: 'abort' }): RunnerEnd | undefined {
      book.fail(reason, codonId)
      const severity = retriable ? 'codon' : 'fatal'
      say.tell({ type: 'error', data: { message: reason, codon: codonId, fatal: !retriable, severity } })
      say.runEnd(book.summary())
      if (retriable) say.idle('codon-completed', 'The codon failed; codon.redo runs it again.')
      return !retriable || endsWithHank ? { status: 'failed', reason } : undefined
    },
    /** A person stopped the codon: the next one waits. */
    hold(message: string): RunnerEnd | undefined {
      say.idle('codon-completed', message)
      if (!endsWithHank) return undefined
      close('stopped', 'stopped by force')
      return { status: 'failed', reason: 'stopped by force' }
    },
    /** A hank that was done before is done, whoever ends the server. */
    down(reason: string): RunnerEnd {
      if (book.isDone()) return { status: 'completed' }
      close('stopped', reason)
      return { status: 'stopped', reason }
    },
  }
}

export type RunEnds = ReturnType<typeof createRunEnds>
