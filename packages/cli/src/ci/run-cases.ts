import type { ReportAttempt, ReportData } from '@weave/protocol'
import type { CodonCase, RunCases } from '../validate/formats/junit.ts'

/** The codons of an execution as cases of a test report: the last attempt at each says how it went. Pure. */
export function runCases(file: string, { runs, reason }: ReportData, isGood: boolean): RunCases {
  const attempts = runs.flatMap(run => run.attempts).filter(({ isUndone }) => !isUndone)
  const last = new Map<string, ReportAttempt>(attempts.map(attempt => [attempt.codonId, attempt]))
  const codons = [...last.values()].map((attempt): CodonCase => {
    const own = attempts.filter(({ codonId }) => codonId === attempt.codonId)
    const seconds = own.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000
    const { codonId, status } = attempt
    if (status === 'failed')
      return { codonId, seconds, failure: attempt.reason ?? 'failed', isSkipped: false }
    return { codonId, seconds, isSkipped: status !== 'completed' }
  })
  if (isGood || codons.some(({ failure }) => failure !== undefined)) return { file, codons }
  // What failed was no codon: the run before its first one, or a rehearsal that is not as its script says.
  const whole = { codonId: 'the run', seconds: 0, failure: reason ?? 'The run failed.', isSkipped: false }
  return { file, codons: [...codons, whole] }
}
