import type { Answers } from './answers.ts'
import type { SdkResult } from './sdk-message.ts'
import type { Totals } from './totals.ts'

export interface EndedSession {
  readonly sessionId: string
  readonly previousSessionId: string | undefined
  readonly result: SdkResult
  readonly answers: Pick<Answers, 'some' | 'unfinished'>
  /**
   * The program wrote down its total, as it does at its end unless it is killed. A session that goes on from one without
   * begins to count anew.
   */
  readonly isWrittenDown: boolean
}

/**
 * What a session cost by the SDK's own account: its total less that of the session it went on from. Undefined when one of
 * them is not known, or the total is not made of list prices or not of every answer. Rejects when the total cannot be kept.
 */
export async function settleCost(totals: Totals, session: EndedSession): Promise<number | undefined> {
  const { sessionId, previousSessionId, result, answers, isWrittenDown } = session
  const total = result.totalDollars
  // Results of a program that failed carry zeros.
  if (total === undefined || (total === 0 && answers.some())) return undefined
  const before = previousSessionId === undefined ? 0 : await totals.of(previousSessionId)
  if (isWrittenDown) await totals.keep(sessionId, total)
  if (before === undefined || total < before) return undefined
  if (!result.isListPrice || answers.unfinished()) return undefined
  return withoutNoise(total - before)
}

/** Totals are sums of doubles; prices per token are whole multiples of a billionth of a cent. */
function withoutNoise(dollars: number): number {
  return Math.round(dollars * 1e12) / 1e12
}
