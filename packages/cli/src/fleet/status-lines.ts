import { dollarsText } from 'weave-client'
import type {
  BatchDetail,
  BatchStatus,
  CostRow,
  ExecutionDetail,
  ExecutionStatus,
  FleetEvent,
  WorkerStatus,
} from 'weave-fleet'
import { bytesText, columns } from '../terminal.ts'
import { spentText } from './money-lines.ts'

/** One batch in a line: how many executions are in which state. */
export function batchLine({ id, state, counts, pauseReason }: BatchStatus): string {
  const words = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  const why = pauseReason === null ? '' : `: ${pauseReason}`
  return `${id}  ${words.join(', ')}${state === 'open' ? '' : ` (${state}${why})`}`
}

/** What came of a batch; the executions that did not succeed, each with its reason. */
export function summaryOf(
  status: BatchDetail,
  { executions, deaths }: { readonly executions: readonly ExecutionStatus[]; readonly deaths: number },
): readonly string[] {
  const others = executions.filter(({ state }) => state !== 'succeeded')
  const { codonsDone, forecast, endsPerHour, notBefore } = status
  return [
    `Batch      ${batchLine(status)}`,
    `Spent      ${spentText(status, deaths)}`,
    `Codons     ${codonsDone} done`,
    ...(notBefore === null || Date.parse(notBefore) < Date.now()
      ? []
      : [`Not before ${minuteText(notBefore)}`]),
    ...(forecast === null || endsPerHour === null
      ? []
      : [`Forecast   ${minuteText(forecast)}, at ${Math.round(endsPerHour)} an hour`]),
    ...Object.entries(status.waits).map(([reason, count]) => `Waiting    ${count} for ${reason}`),
    ...columns(others.map(({ n, name, state, reason }) => [String(n), name, state, reason ?? ''])),
  ]
}

function minuteText(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}

export function workerLines(workers: readonly WorkerStatus[]): readonly string[] {
  const rows = workers.map(({ id, state, busy, slots, pools, version, silence }) => [
    id,
    state,
    `${busy}/${slots}`,
    pools.join(','),
    version,
    `heard ${Math.round(silence)} s ago`,
  ])
  return columns([['WORKER', 'STATE', 'BUSY', 'POOLS', 'VERSION', ''], ...rows], '')
}

/** Everything that is known of one execution. */
export function executionPage(found: ExecutionDetail): readonly string[] {
  const { id, name, state, reason, worker, epoch, starts, codon, codonsDone, dollars } = found
  const heads = found.heads.map(head => [
    String(head.seq),
    head.codon ?? '',
    `epoch ${head.epoch}`,
    head.worker,
    bytesText(head.bytes),
    head.at,
  ])
  return [
    `Execution  ${id}  ${name}`,
    `State      ${state}${reason === null ? '' : `: ${reason}`}`,
    `Turns      ${starts}, epoch ${epoch}${worker === null ? '' : `, last on ${worker}`}`,
    `Codons     ${codonsDone} done${codon === null ? '' : `, last ${codon}`}`,
    `Spent      ${dollarsText(dollars, { unknown: found.costs.some(({ isKnown }) => !isKnown) })}`,
    ...(found.leftBehind.length === 0 ? [] : [`Not moved  ${leftText(found.leftBehind)}`]),
    ...section('Costs', costTable(found.costs)),
    ...section('Heads', columns(heads)),
    ...section(
      'Events',
      found.events.map(event => `  ${eventLine(event)}`),
    ),
    '',
    `Take it home with: weave fleet pull ${id}`,
  ]
}

function leftText(left: ExecutionDetail['leftBehind']): string {
  return left.map(({ path, bytes }) => `${path} (${bytesText(bytes)})`).join(', ')
}

function section(name: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', name, ...lines]
}

/** By codon and model. */
export function costTable(costs: readonly CostRow[]): readonly string[] {
  if (costs.length === 0) return []
  const rows = costs.map(row => [
    row.codon,
    row.model,
    ...[row.attempts, row.in, row.out, row.cacheWrite, row.cacheRead].map(String),
    dollarsText(row.dollars, { unknown: !row.isKnown }),
  ])
  return columns([['CODON', 'MODEL', 'ATTEMPTS', 'IN', 'OUT', 'CACHE WRITE', 'CACHE READ', 'COST'], ...rows])
}

export function eventLine({ at, execution, batch, epoch, worker, type, data }: FleetEvent): string {
  const words = Object.entries(data ?? {}).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`],
  )
  const whose = epoch === null ? '' : ` epoch ${epoch}`
  return `${at}  ${execution ?? batch ?? ''}  ${type}${whose}${worker === null ? '' : ` on ${worker}`}  ${words.join(' ')}`.trimEnd()
}
