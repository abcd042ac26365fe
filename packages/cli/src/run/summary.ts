import { type BudgetBreach, type CodonExecution, lineageOf } from '@weave/protocol'
import type { RunnerEnd, WeaveState } from '@weave/runtime'
import { codonStatusWords, dollarsText, durationText, harmlessLine, tokenCountsText } from 'weave-client'
import { shellWord } from '../go-on.ts'
import { columns, plural } from '../terminal.ts'

export interface SummaryPlaces {
  readonly layout: { readonly dir: string; readonly agentRoot: string }
  readonly outputDirectory: string
  /** Something was copied there. */
  readonly hasOutputs: boolean
  readonly isRehearsal: boolean
  /** The command that goes on with it. */
  readonly goOn: string
  /** Off for a person at a screen who did not ask for them. */
  readonly showsCosts: boolean
}

/** What was done, what it cost, where things are, why it stopped. */
export function summaryLines(
  state: WeaveState,
  end: RunnerEnd,
  { layout, outputDirectory, hasOutputs, isRehearsal, showsCosts, goOn }: SummaryPlaces,
): readonly string[] {
  const run = state.runs.at(-1)
  const lineage = lineageOf(state, run)
  const rows = lineage.map(codon => [
    codon.attempt > 1 ? `${codon.codonId} (attempt ${codon.attempt})` : codon.codonId,
    codonStatusWords[codon.status],
    'endTime' in codon ? durationText(Date.parse(codon.endTime) - Date.parse(codon.startTime)) : '',
    ...(showsCosts
      ? [dollarsText(codon.cost, { unknown: codon.costUnknown }), tokenCountsText(codon.tokens)]
      : []),
    'budgetExceeded' in codon && codon.budgetExceeded ? breachText(codon.budgetExceeded) : '',
  ])
  return [
    '',
    ...columns(rows),
    '',
    `The hank ${words[end.status]}${cutShort(lineage, end)}${end.reason === undefined ? '' : `: ${end.reason}`}`,
    ...(showsCosts ? costLines(state, isRehearsal) : []),
    `Workspace  ${layout.agentRoot}`,
    ...(hasOutputs ? [`Outputs    ${outputDirectory}`] : []),
    `Report     weave report ${shellWord(layout.dir)}`,
    ...(end.status === 'completed' ? [] : [`Go on with ${goOn}`]),
  ]
}

/** A hank is done, too, when budgets ended some of its codons before they were: nobody should take that for all of it. */
function cutShort(codons: readonly CodonExecution[], { status }: RunnerEnd): string {
  const cut = codons.filter(codon => 'budgetExceeded' in codon && codon.budgetExceeded).length
  return status === 'completed' && cut > 0 ? `, cut short by a budget in ${plural(cut, 'codon')}` : ''
}

function breachText({ currency, limit, scope }: BudgetBreach): string {
  const amount = currency === 'dollars' ? `$${limit}` : `${limit} ${unitWords[currency]}`
  const [kind, loop] = scope.split(':')
  const whose = { codon: '', hank: ' of the hank', loop: ` of the loop ${loop}` }[kind ?? ''] ?? ` (${scope})`
  return `stopped by budget: ${amount}${whose}`
}

const unitWords = {
  seconds: 'seconds',
  'output-tokens': 'output tokens',
  'context-tokens': 'tokens of context',
} as const

/** The whole, and the part of it that sentinels had, if there were any. */
function costLines({ runs, totalCost }: WeaveState, isRehearsal: boolean): readonly string[] {
  const sentinels = runs.flatMap(({ codons }) => codons).flatMap(codon => codon.sentinels ?? [])
  const cost = sentinels.reduce((sum, sentinel) => sum + sentinel.cost, 0)
  return [
    `Cost       ${dollarsText(totalCost)}${isRehearsal ? ' (simulated: the model was a script)' : ''}`,
    ...(sentinels.length === 0 ? [] : [`Sentinels  ${dollarsText(cost)} of it`]),
  ]
}

const words = { completed: 'is done', failed: 'failed', stopped: 'was stopped' } as const

interface ProxyBox {
  readonly proxyUrl: string
  /** May come from a file that somebody else wrote: a person must see where requests go. */
  readonly upstream: string
}

/** The lines of a box that says where the proxy is and where it leads. */
export function proxyBox({ proxyUrl, upstream }: ProxyBox): readonly string[] {
  const lines = [`Proxy: ${proxyUrl}`, `Upstream: ${harmlessLine(upstream)}`]
  const width = Math.max(...lines.map(line => line.length))
  const edge = '─'.repeat(width + 2)
  return [`┌${edge}┐`, ...lines.map(line => `│ ${line.padEnd(width)} │`), `└${edge}┘`]
}
