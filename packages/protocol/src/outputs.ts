import type { CodonExecution } from './state.ts'

/** What one `outputs.copied` told, and when. */
export interface CopiedOutputs {
  readonly codonId: string
  /** ISO. */
  readonly time: string
}

/**
 * Of these copies that of one attempt at a codon. An attempt that did not complete has none: what it copied was taken back.
 * Told by the time, since neither the event nor a record of a codon names its run.
 */
export function outputsOf<Copy extends CopiedOutputs>(
  record: CodonExecution,
  copies: readonly Copy[],
): Copy | undefined {
  if (record.status !== 'completed') return undefined
  const [from, to] = [Date.parse(record.startTime), Date.parse(record.endTime)]
  return copies.findLast(({ codonId, time }) => {
    const at = Date.parse(time)
    return codonId === record.codonId && at >= from && at <= to
  })
}
