import type { JournaledEvent } from '@weave/protocol'
import type { Notice } from './notice.ts'

/** The limits of a run in dollars, by what they are of. */
export interface DollarLimit {
  readonly scope: string
  readonly dollars: number
}

export interface NoticeFoldOptions {
  /** Of the whole run; the nearest counts. */
  readonly limit?: DollarLimit | undefined
  /** What the execution had cost before the first event that is given. */
  readonly spentBefore?: number
}

/** So much of a limit is most of it. */
const nearShare = 0.8

/**
 * From events to what a person is told of them. Pure: the same events give the same notices with the same ids. Takes each
 * event once, in order.
 */
export function createNoticeFold({ limit, spentBefore = 0 }: NoticeFoldOptions = {}) {
  let settled = spentBefore
  let current = 0
  let began: number | undefined
  let failed: (JournaledEvent & { type: 'codon.completed' }) | undefined
  let isNearSaid = limit !== undefined && spentBefore >= limit.dollars * nearShare

  const cost = (): number => settled + current
  const noticeOf = (event: JournaledEvent, rest: Pick<Notice, 'type'> & Partial<Notice>): Notice => {
    const time = Date.parse(event.timestamp)
    const { id, seq, timestamp } = event
    return {
      id,
      seq,
      timestamp,
      cost: cost(),
      durationMs: began === undefined ? 0 : Math.max(0, time - began),
      ...rest,
    }
  }
  /** A failure counts once nothing comes after it: the run has failed, or waits for a person. */
  const lastFailure = (event: JournaledEvent): readonly Notice[] => {
    if (!failed) return []
    const { id, data } = failed
    failed = undefined
    const why = data.failureReason?.type ?? 'unknown'
    const message = `Codon ${data.codonId} failed: ${why}.`
    return [noticeOf(event, { id, type: 'codon.failed', codonId: data.codonId, status: 'failed', message })]
  }
  const near = (event: JournaledEvent & { type: 'token.usage' }): readonly Notice[] => {
    if (!limit || isNearSaid || cost() < limit.dollars * nearShare) return []
    isNearSaid = true
    const message = `$${cost().toFixed(2)} of $${limit.dollars} (${limit.scope}) are spent.`
    return [noticeOf(event, { type: 'budget.near', codonId: event.data.codonId, message })]
  }

  return function add(event: JournaledEvent): readonly Notice[] {
    switch (event.type) {
      case 'run.started':
        began = Date.parse(event.timestamp)
        failed = undefined
        return []
      case 'token.usage':
        current = event.data.totalCost
        return near(event)
      case 'codon.completed':
        settled += event.data.cost
        current = 0
        failed = event.data.success ? undefined : event
        return []
      case 'codon.retrying':
        failed = undefined
        return []
      case 'server.idle':
        return lastFailure(event)
      case 'run.completed':
        return runEnded(event)
      case 'budget.exceeded': {
        const { codonId, currency, limit: most, used, scope } = event.data
        const message = `${used} of ${most} ${currency} (${scope}) are used.`
        return [noticeOf(event, { type: 'budget.exceeded', codonId, message })]
      }
      case 'run.parked':
        return [
          noticeOf(event, {
            type: 'run.parked',
            codonId: event.data.codonId,
            message: `Until ${event.data.until}.`,
          }),
        ]
      default:
        return []
    }
  }

  function runEnded(event: JournaledEvent & { type: 'run.completed' }): readonly Notice[] {
    const { status, reason, totalCost, duration } = event.data
    // Another run follows at once: somebody goes back or does something again.
    if (status === 'stopped' && reason !== undefined && passing.has(reason)) return []
    const before = status === 'failed' ? lastFailure(event) : []
    failed = undefined
    const facts = { status, cost: Math.max(cost(), totalCost), durationMs: duration }
    const why = status === 'stopped' && reason !== undefined ? { message: `Stopped: ${reason}.` } : {}
    return [...before, noticeOf(event, { type: 'run.ended', ...facts, ...why })]
  }
}

const passing: ReadonlySet<string> = new Set(['redo', 'rollback', 'the edited hank is to be adopted'])

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
])
