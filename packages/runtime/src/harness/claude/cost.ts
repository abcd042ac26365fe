import { join } from 'node:path'
import type { TokenCounts } from '@weave/protocol'
import { ensureDir, readRegularFile, writeFileAtomic } from '../../files/index.ts'
import { fieldsOf, numberOf } from '../../kit/index.ts'
import type { SdkMessage, SdkResult } from './sdk-message.ts'

export interface EndedSession {
  readonly sessionId: string
  readonly previousSessionId: string | undefined
  readonly result: SdkResult
  readonly answers: Pick<Answers, 'some' | 'unfinished'>
  /** As it does at its end unless it is killed. A session that goes on from one without begins to count anew. */
  readonly isWrittenDown: boolean
}

/**
 * The SDK's total less that of the session before. Undefined when one is not known, or the total is not made of list prices
 * or not of every answer. Rejects when the total cannot be kept.
 */
export async function settleCost(
  totals: ReturnType<typeof openTotals>,
  session: EndedSession,
): Promise<number | undefined> {
  const { sessionId, previousSessionId, result, answers, isWrittenDown } = session
  const total = result.totalDollars
  // Results of a program that failed carry zeros.
  if (total === undefined || (total === 0 && answers.some())) return undefined
  const before = previousSessionId === undefined ? 0 : await totals.of(previousSessionId)
  if (isWrittenDown) await totals.keep(sessionId, total, result.tokens)
  if (before === undefined || total < before) return undefined
  if (!result.isListPrice || answers.unfinished()) return undefined
  return withoutNoise(total - before)
}

/** Totals are sums of doubles; prices per token are whole multiples of a billionth of a cent. */
function withoutNoise(dollars: number): number {
  return Math.round(dollars * 1e12) / 1e12
}

export type Answers = ReturnType<typeof createAnswers>

/** Which answers of the model were begun and which came to their end. */
export function createAnswers() {
  const open = new Set<string>()
  let isSome = false
  let isCut = false
  return {
    add(message: SdkMessage): void {
      if (message.kind === 'answer') isSome = true
      if (message.kind === 'answer-grew' && message.isWhole) open.delete(message.thread)
      if (message.kind !== 'answer-began') return
      isSome = true
      isCut ||= open.has(message.thread)
      open.add(message.thread)
    },
    some: () => isSome,
    /** By a stop or a broken connection: the provider charges for them, the SDK's total leaves them out. */
    unfinished: () => isCut || open.size > 0,
  }
}

const mostBytes = 64 * 1024 * 1024
const tokenFields = ['inputTokens', 'outputTokens', 'cacheCreationTokens', 'cacheReadTokens'] as const

/** The SDK goes on counting when a session goes on from another, so what one session cost is a difference. */
export function openTotals(home: string) {
  const path = join(home, 'claude-totals.json')

  async function read(): Promise<ReadonlyMap<string, unknown>> {
    const file = await readRegularFile(path, { maxBytes: mostBytes })
    if (!file.ok) return new Map()
    try {
      return new Map(Object.entries(fieldsOf(JSON.parse(file.bytes.toString('utf8')))))
    } catch {
      // Not known is always a possible answer; the next total begins a new file.
      return new Map()
    }
  }

  return {
    of: async (sessionId: string) => numberOf((await read()).get(sessionId)),
    async tokensOf(sessionId: string): Promise<TokenCounts | undefined> {
      const kept = fieldsOf((await read()).get(`${sessionId} tokens`))
      const [inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens] = tokenFields.map(field =>
        numberOf(kept[field]),
      )
      const isKnown =
        inputTokens !== undefined &&
        outputTokens !== undefined &&
        cacheCreationTokens !== undefined &&
        cacheReadTokens !== undefined
      return isKnown ? { inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens } : undefined
    },
    async keep(sessionId: string, dollars: number, tokens?: TokenCounts): Promise<void> {
      const totals = new Map(await read()).set(sessionId, dollars)
      if (tokens) totals.set(`${sessionId} tokens`, tokens)
      await ensureDir(home)
      await writeFileAtomic(path, `${JSON.stringify(Object.fromEntries(totals))}\n`)
    },
  }
}
