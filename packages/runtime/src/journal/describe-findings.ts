import type { OpeningFindings } from './journal.ts'

/** What is amiss with a journal, as sentences for people; none for one that is as it was written. */
export function describeFindings(findings: OpeningFindings): readonly string[] {
  const { damaged, missing, doubled, otherWriter } = findings
  return [
    ...(damaged > 0 ? [`The journal has ${linesText(damaged, 'damaged')}; such lines are passed over.`] : []),
    ...(missing > 0
      ? [`The journal has a gap: ${missing} events are missing between others. Restore them from a backup.`]
      : []),
    ...(doubled > 0
      ? [
          `The journal has ${linesText(doubled)} of a second writer, passed over. The next start puts them aside.`,
        ]
      : []),
    ...(otherWriter
      ? [
          `Two servers had written to the journal at once: ${linesText(otherWriter.lines)} of the other one are now in ${otherWriter.keptIn.join(', ')}.`,
        ]
      : []),
  ]
}

function linesText(count: number, kind?: string): string {
  return `${count} ${kind === undefined ? '' : `${kind} `}${count === 1 ? 'line' : 'lines'}`
}
