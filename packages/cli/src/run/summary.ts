import type { RunnerEnd, WeaveState } from '@weave/runtime'
import { codonStatusWords, dollarsText, durationText, tokenCountsText } from 'weave-client'
import { columns } from '../columns.ts'

export interface SummaryPlaces {
  readonly layout: { readonly dir: string; readonly agentRoot: string }
  readonly outputDirectory: string
}

/** What was done, what it cost, where things are, why it stopped. */
export function summaryLines(
  state: WeaveState,
  end: RunnerEnd,
  { layout, outputDirectory }: SummaryPlaces,
): readonly string[] {
  const run = state.runs.at(-1)
  const rows = (run?.codons ?? []).map(codon => [
    codon.attempt > 1 ? `${codon.codonId} (attempt ${codon.attempt})` : codon.codonId,
    codonStatusWords[codon.status],
    'endTime' in codon ? durationText(Date.parse(codon.endTime) - Date.parse(codon.startTime)) : '',
    dollarsText(codon.cost, { unknown: codon.costUnknown }),
    tokenCountsText(codon.tokens),
  ])
  return [
    '',
    ...columns(rows),
    '',
    `The hank ${words[end.status]}${end.reason === undefined ? '' : `: ${end.reason}`}`,
    `Cost       ${dollarsText(state.totalCost)}`,
    `Workspace  ${layout.agentRoot}`,
    `Outputs    ${outputDirectory}`,
    ...(end.status === 'completed'
      ? []
      : [`Resume     run the same command again, or: weave -e ${layout.dir}`]),
  ]
}

const words = { completed: 'is done', failed: 'failed', stopped: 'was stopped' } as const
