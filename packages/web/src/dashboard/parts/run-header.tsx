import {
  activityText,
  type ClientStatus,
  dollarsText,
  durationText,
  type ExecutionHead,
  tokensText,
  untilText,
} from 'weave-client'
import { now } from '../clock.ts'
import type { Execution } from '../execution.ts'
import { panelRoute } from '../place.ts'
import { addressOf } from '../routes.ts'
import { Controls } from './controls.tsx'
import { StatusPill } from './mark.tsx'
import { counted } from './small.tsx'

/** What it is, how it goes, what it took so far, and what can be done about it. */
export function RunHeader({ execution }: { readonly execution: Execution }) {
  const head = execution.head.value
  if (!head) return null
  const { status, words } = standing(execution, head)
  return (
    <header class="run-header">
      <div class="run-title">
        <h1>{head.hank.name}</h1>
        <StatusPill status={status} words={words} />
        {head.rehearsal && <span class="badge rehearsal">REHEARSAL</span>}
        {head.live && <Connection status={execution.connection.value} />}
      </div>
      <p class="run-now">
        {nowText(execution, head)}
        {hasFailed(head) && (
          <a class="failures" href={addressOf(panelRoute(head.name, 'stream', { failed: '1' }))}>
            Show failures
          </a>
        )}
      </p>
      <Facts execution={execution} head={head} />
      <Controls execution={execution} />
    </header>
  )
}

function hasFailed({ status }: ExecutionHead): boolean {
  return status === 'failed' || status === 'crashed'
}

function Facts({ execution, head }: { readonly execution: Execution; readonly head: ExecutionHead }) {
  const { totals } = head
  const read = totals.tokens.input + totals.tokens.cacheRead + totals.tokens.cacheWrite
  const planned = plannedCodons(head)
  const facts: readonly (readonly [string, string, string])[] = [
    [
      'Codons',
      // A loop without a limit may do more than the plan could count.
      planned > 0
        ? `${totals.codonsDone} / ${Math.max(planned, totals.codonsDone)}`
        : String(totals.codonsDone),
      counted(totals.attempts, 'attempt'),
    ],
    ['Time', durationText(elapsedMs(execution, head)), counted(head.runs.length, 'run')],
    [
      'Cost',
      dollarsText(totals.cost, { unknown: totals.isCostUnknown }),
      head.rehearsal
        ? 'simulated'
        : totals.sentinelCost > 0
          ? `${dollarsText(totals.sentinelCost)} sentinels`
          : 'all runs',
    ],
    ['Tokens', tokensText(read + totals.tokens.output), `${tokensText(totals.tokens.output)} out`],
  ]
  return (
    <dl class="run-facts">
      {facts.map(([name, value, detail]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value} <small>{detail}</small>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Connection({ status }: { readonly status: ClientStatus | undefined }) {
  const state = status?.state ?? 'connecting'
  const words = {
    connecting: 'connecting',
    open: 'live',
    reconnecting: 'reconnecting',
    closed: 'not connected',
  }[state]
  return (
    <span class="connection" data-state={state}>
      {words}
    </span>
  )
}

/** What the pill says. */
function standing(
  execution: Execution,
  head: ExecutionHead,
): { readonly status: string; readonly words: string } {
  if (head.gates.waiting) return { status: 'waits', words: 'waits for you' }
  if (!head.live) return { status: head.status, words: head.status === 'new' ? 'not begun' : head.status }
  if (execution.doing.value.parked) return { status: 'parked', words: 'parked' }
  if (execution.atWork.value) return { status: 'running', words: 'running' }
  return head.status === 'running'
    ? { status: 'idle', words: 'idle' }
    : { status: head.status, words: `${head.status}, idle` }
}

function nowText(execution: Execution, head: ExecutionHead): string {
  const { parked, retrying, activity, rollback, idle } = execution.doing.value
  const { waiting } = head.gates
  if (rollback) return `Going back: ${rollback.message}`
  if (waiting)
    return waiting.next === undefined
      ? `Gate ${waiting.gateId}, before the end`
      : `Gate ${waiting.gateId}, before ${waiting.next}`
  if (parked) return `${parked.codonId} goes on ${untilText(parked.until, now.value)}: ${parked.reason}`
  if (retrying)
    return `${retrying.codonId}: attempt ${retrying.attempt} of ${retrying.maxAttempts} ${untilText(retrying.resumeAt, now.value)}`
  if (activity) return activityText(activity)
  const attempt = execution.atWork.value
  if (attempt) return `${attempt.codonName} · ${attempt.codonId} · ${attempt.model}`
  if (head.live) return idle?.message ?? 'The server waits for a command.'
  return head.reason ?? head.dir
}

function elapsedMs({ atWork }: Execution, { runs, totals, live }: ExecutionHead): number {
  const last = runs.at(-1)
  if (!live || !last || !atWork.value) return totals.durationMs
  const before = totals.durationMs - last.durationMs
  return before + Math.max(last.durationMs, now.value - Date.parse(last.startTime))
}

function plannedCodons({ outline }: ExecutionHead): number {
  const items = outline?.items ?? []
  return items.reduce(
    (sum, item) => sum + (item.kind === 'loop' ? item.codons.length * (item.limit ?? 1) : 1),
    0,
  )
}
