import type { JournaledEvent } from '@weave/protocol'
import type { Notice } from './notice.ts'

/** The lowest limit in dollars on the whole run, and what it is of. */
export interface DollarLimit {
  readonly scope: string
  readonly dollars: number
}

export interface NoticeFoldOptions {
  readonly limit?: DollarLimit | undefined
}

/** So much of a limit is most of it. */
const nearShare = 0.8

type EventOf<T extends JournaledEvent['type']> = Extract<JournaledEvent, { readonly type: T }>

/** What has to be known of the events before to say what one means. */
interface Past {
  /** Dollars of the codons that have ended, and of the one that goes on. */
  settled: number
  current: number
  /** When the run began. */
  began: number | undefined
  /** Ended badly, and it is not known yet whether it is tried again. */
  failed: EventOf<'codon.completed'> | undefined
  isNearSaid: boolean
}

/**
 * From events to what a person is told of them. Pure: the same events give the same notices with the same ids. Takes each
 * event once, in order.
 */
export function createNoticeFold({ limit }: NoticeFoldOptions = {}) {
  const past: Past = { settled: 0, current: 0, began: undefined, failed: undefined, isNearSaid: false }
  return function add(event: JournaledEvent): readonly Notice[] {
    remember(past, event)
    return [...failureOf(past, event), ...nearOf(past, event, limit), ...plainNotices(past, event)]
  }
}

function remember(past: Past, { type, timestamp, data, ...rest }: JournaledEvent): void {
  if (type === 'run.started') past.began = Date.parse(timestamp)
  if (type === 'run.started' || type === 'codon.retrying') past.failed = undefined
  if (type === 'token.usage') past.current = data.totalCost
  if (type !== 'codon.completed') return
  past.settled += data.cost
  past.current = 0
  past.failed = data.success ? undefined : { ...rest, type, timestamp, data }
}

function noticeOf(past: Past, event: JournaledEvent, rest: Pick<Notice, 'type'> & Partial<Notice>): Notice {
  const { id, seq, timestamp } = event
  const durationMs = past.began === undefined ? 0 : Math.max(0, Date.parse(timestamp) - past.began)
  return { id, seq, timestamp, cost: past.settled + past.current, durationMs, ...rest }
}

/** A failure counts once no other attempt comes: the run has failed, or waits for a person. */
function failureOf(past: Past, event: JournaledEvent): readonly Notice[] {
  const { failed } = past
  const isLast =
    event.type === 'server.idle' || (event.type === 'run.completed' && event.data.status === 'failed')
  if (!failed || !isLast) return []
  past.failed = undefined
  const { codonId, failureReason } = failed.data
  const message = `Codon ${codonId} failed: ${failureReason?.type ?? 'unknown'}.`
  return [noticeOf(past, event, { id: failed.id, type: 'codon.failed', codonId, status: 'failed', message })]
}

function nearOf(past: Past, event: JournaledEvent, limit: DollarLimit | undefined): readonly Notice[] {
  const spent = past.settled + past.current
  if (event.type !== 'token.usage' || !limit || past.isNearSaid || spent < limit.dollars * nearShare)
    return []
  past.isNearSaid = true
  const message = `$${spent.toFixed(2)} of $${limit.dollars} (${limit.scope}) are spent.`
  return [noticeOf(past, event, { type: 'budget.near', codonId: event.data.codonId, message })]
}

function plainNotices(past: Past, event: JournaledEvent): readonly Notice[] {
  switch (event.type) {
    case 'run.completed':
      return runEnded(past, event)
    case 'budget.exceeded': {
      const { codonId, currency, limit, used, scope } = event.data
      const message = `${used} of ${limit} ${currency} (${scope}) are used.`
      return [noticeOf(past, event, { type: event.type, codonId, message })]
    }
    case 'run.parked': {
      const { codonId, until } = event.data
      return [noticeOf(past, event, { type: event.type, codonId, message: `Until ${until}.` })]
    }
    case 'gate.waiting': {
      const { gateId, codonId, message } = event.data
      return [noticeOf(past, event, { type: event.type, gateId, codonId, message })]
    }
    case 'rule.fired': {
      const { ruleId, codonId, do: deed } = event.data
      const message = `Rule ${ruleId}: ${deed}.`
      return [noticeOf(past, event, { type: event.type, codonId, message })]
    }
    default:
      return []
  }
}

/** Another run follows at once: somebody goes back, does something again, or takes an edited hank over. */
const passing: ReadonlySet<string> = new Set(['redo', 'rollback', 'the edited hank is to be adopted'])

function runEnded(past: Past, event: EventOf<'run.completed'>): readonly Notice[] {
  const { status, reason, totalCost, duration } = event.data
  if (status === 'stopped' && reason !== undefined && passing.has(reason)) return []
  past.failed = undefined
  const message = status === 'stopped' && reason !== undefined ? `Stopped: ${reason}.` : undefined
  const cost = Math.max(past.settled + past.current, totalCost)
  return [noticeOf(past, event, { type: 'run.ended', status, message, cost, durationMs: duration })]
}

/** The events that the fold looks at; every other one need not be read. */
export const foldedTypes: ReadonlySet<string> = new Set([
  'run.started',
  'token.usage',
  'codon.completed',
  'codon.retrying',
  'server.idle',
  'run.completed',
  'budget.exceeded',
  'run.parked',
  'gate.waiting',
  'gate.decided',
  'rule.fired',
])
