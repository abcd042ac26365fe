import type { NoticeType } from './config.ts'

/** Something that a person is told, made from what is in the journal and from nothing else. */
export interface Notice {
  /** The same whenever it is sent again. */
  readonly id: string
  /** Of the event it follows from: when all that it is about is told, a cursor may stand there. */
  readonly seq: number
  readonly type: NoticeType | 'test'
  readonly timestamp: string
  readonly codonId?: string | undefined
  readonly status?: string | undefined
  readonly gateId?: string | undefined
  /** Words of the operator or of weave; never of an agent, a prompt or a file. */
  readonly message?: string | undefined
  /** Dollars of the execution until then. */
  readonly cost: number
  /** Milliseconds since the run began. */
  readonly durationMs: number
}

/** What is the same in all notifications of an execution. */
export interface NoticeOrigin {
  /** The name of its directory. */
  readonly execution: string
  readonly hank: string
  /** The page of the run, without a key. */
  readonly url?: string | undefined
}

export interface NoticeBody {
  readonly type: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, string | number>>
}

const longestMessage = 1_000
const longestName = 300

/** Thin: who wants to know more looks. At most 4 kB as JSON. */
export function bodyOf(notice: Notice, origin: NoticeOrigin): NoticeBody {
  const { type, timestamp, codonId, status, gateId, message, cost, durationMs } = notice
  const texts = { codonId, status, gateId, message }
  const given = Object.entries(texts).flatMap(([key, text]): readonly (readonly [string, string])[] =>
    text === undefined ? [] : [[key, shortened(text, key === 'message' ? longestMessage : longestName)]],
  )
  return {
    type,
    timestamp,
    data: {
      execution: shortened(origin.execution, longestName),
      hank: shortened(origin.hank, longestName),
      ...Object.fromEntries<string>(given),
      cost: Number(cost.toFixed(6)),
      durationMs: Math.round(durationMs),
      ...(origin.url !== undefined && { url: origin.url }),
    },
  }
}

/** By bytes of UTF-8, and never in the middle of a character. */
function shortened(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text
  const cut = Buffer.from(text)
    .subarray(0, bytes - 3)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
  return `${cut}…`
}

const titles: Readonly<Record<NoticeType | 'test', string>> = {
  'gate.waiting': 'waits for you',
  'gate.expiring': 'waits for you, and not much longer',
  'run.ended': 'has ended',
  'codon.failed': 'has failed',
  'budget.near': 'has spent most of a limit',
  'budget.exceeded': 'has reached a limit',
  'run.parked': 'is parked',
  'rule.fired': 'has met a rule',
  'batch.paused': 'is paused',
  test: 'can reach you',
}

export interface NoticeText {
  readonly title: string
  readonly text: string
}

/** For people: what happened in one line, then more in one or two. */
export function textOf({ type, data }: NoticeBody): NoticeText {
  const { hank, execution, status, codonId, gateId, message, cost, url } = data
  const isEnd = type === 'run.ended' && status !== undefined
  const what = isEnd ? `is ${String(status)}` : titles[type as NoticeType]
  const facts = [
    gateId === undefined ? undefined : `gate ${gateId}`,
    codonId === undefined ? undefined : `codon ${codonId}`,
    `$${Number(cost).toFixed(2)}`,
    execution,
  ]
  const lines = [message, facts.filter(fact => fact !== undefined).join(' · '), url]
  return { title: `${hank} ${what}`, text: lines.filter(line => line !== undefined).join('\n') }
}
