import { dollarsText } from 'weave-client'
import type { BatchReport } from 'weave-fleet'
import { csvText } from '../report/costs.ts'
import { columns, plural } from '../terminal.ts'
import { batchLine, costTable } from './status-lines.ts'

/** A whole batch in lines: what became of each, what it cost, and why something failed. */
export function reportLines({ batch, executions, costs, failures }: BatchReport): readonly string[] {
  const rows = executions.map(each => [
    String(each.n),
    each.name,
    each.state,
    `${each.codonsDone} codons`,
    dollarsText(each.dollars),
    each.ended ?? '',
  ])
  return [
    `Batch      ${batchLine(batch)}`,
    `Spent      ${batch.isRehearsal ? 'simulated ' : ''}${dollarsText(batch.spentDollars, { unknown: !batch.isCostKnown })}`,
    '',
    ...columns([['N', 'NAME', 'STATE', 'DONE', 'COST', 'ENDED'], ...rows], ''),
    ...(costs.length > 0 ? ['', 'Costs by codon and model', ...costTable(costs)] : []),
    ...failures.flatMap(({ state, reason, executions: ids }) => [
      '',
      `${plural(ids.length, 'execution')} ${state}: ${reason}`,
      `  ${ids.slice(0, mostNamed).join(' ')}${ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : ''}`,
    ]),
  ]
}

const mostNamed = 10

/** A line for each execution. */
export function reportCsv({ executions }: BatchReport): string {
  const heads = [
    'n',
    'execution',
    'name',
    'state',
    'reason',
    'turns',
    'codons',
    'dollars',
    'started',
    'ended',
  ]
  const rows = executions.map(each => [
    each.n,
    each.id,
    each.name,
    each.state,
    each.reason ?? undefined,
    each.epoch,
    each.codonsDone,
    each.dollars,
    each.started ?? undefined,
    each.ended ?? undefined,
  ])
  return csvText([heads, ...rows])
}
