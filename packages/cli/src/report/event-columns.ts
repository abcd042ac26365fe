import type { JournaledEvent, ReportEvents } from '@weave/protocol'
import { cut, describeEvent, harmless } from 'weave-client'

export interface EventBounds {
  readonly maxEvents: number
  readonly maxLine: number
  readonly maxMore: number
  /** Of all `more` together. */
  readonly maxMoreTotal: number
}

const defaultBounds: EventBounds = {
  maxEvents: 150_000,
  maxLine: 160,
  maxMore: 4_000,
  maxMoreTotal: 12 << 20,
}

/** The newest events of a journal. Takes them in order; holds no more than the bounds allow, so that any journal can be read to its end. */
export function createEventColumns(bounds: EventBounds = defaultBounds) {
  const types = createNames()
  const codons = createNames()
  const rows: Row[] = []
  const more = createNewest(bounds.maxMoreTotal)
  let leftOut = 0
  return {
    /** `prompt`: what the codon that starts here, or goes on, was sent. */
    add(event: JournaledEvent, prompt?: string): void {
      const line = describeEvent(event, bounds.maxLine)
      const codonId = codonOf(event)
      rows.push({
        seq: event.seq,
        ms: Date.parse(event.timestamp),
        type: types.indexOf(event.type),
        codon: codonId === undefined ? -1 : codons.indexOf(codonId),
        line,
        isTool: event.type === 'assistant.action' && event.data.action === 'tool_use',
      })
      const whole = prompt ?? wholeText(event)
      if (whole !== undefined && (prompt !== undefined || whole.length > line.length))
        more.set(event.seq, harmless(cut(whole, bounds.maxMore)))
      if (rows.length >= bounds.maxEvents * 2) leftOut += trim(rows, bounds.maxEvents)
    },
    result(): ReportEvents {
      leftOut += trim(rows, bounds.maxEvents)
      const first = rows[0]
      return {
        leftOut,
        types: types.all,
        codons: codons.all,
        startMs: first?.ms ?? 0,
        seq: rows.map(({ seq }) => seq),
        at: rows.map(({ ms }) => ms - (first?.ms ?? 0)),
        type: rows.map(({ type }) => type),
        codon: rows.map(({ codon }) => codon),
        line: rows.map(({ line }) => line),
        tools: rows.filter(({ isTool }) => isTool).map(({ seq }) => seq),
        more: more.since(first?.seq ?? 0),
      }
    },
  }
}

interface Row {
  readonly seq: number
  readonly ms: number
  readonly type: number
  readonly codon: number
  readonly line: string
  readonly isTool: boolean
}

function trim(rows: Row[], most: number): number {
  const excess = Math.max(0, rows.length - most)
  if (excess > 0) rows.splice(0, excess)
  return excess
}

function createNames() {
  const known = new Map<string, number>()
  return {
    indexOf(name: string): number {
      const index = known.get(name) ?? known.size
      known.set(name, index)
      return index
    },
    get all(): readonly string[] {
      return [...known.keys()]
    },
  }
}

/** Texts by number; when there are too many characters the oldest go. */
function createNewest(maxTotal: number) {
  const texts = new Map<number, string>()
  let total = 0
  return {
    set(seq: number, text: string): void {
      texts.set(seq, text)
      total += text.length
      for (const [oldest, dropped] of texts) {
        if (total <= maxTotal) return
        texts.delete(oldest)
        total -= dropped.length
      }
    },
    since(seq: number): Readonly<Record<string, string>> {
      return Object.fromEntries([...texts].filter(([at]) => at >= seq))
    },
  }
}

function codonOf({ data }: JournaledEvent): string | undefined {
  if ('codonId' in data && data.codonId !== undefined) return data.codonId
  return 'codon' in data ? data.codon : undefined
}

/** What a person may want to read that does not fit on a line. */
function wholeText({ type, data }: JournaledEvent): string | undefined {
  switch (type) {
    case 'assistant.action':
      return data.toolInput
        ? `${data.toolName ?? 'tool'}\n${JSON.stringify(data.toolInput, null, 2)}`
        : data.content
    case 'tool.result':
      return data.result
    case 'file.updated':
      return data.content === '' ? undefined : `${data.action} ${data.path}\n\n${data.content}`
    case 'sentinel.output':
      return typeof data.content === 'string' ? data.content : JSON.stringify(data.content, null, 2)
    case 'error':
    case 'info':
    case 'sentinel.error':
      return data.message
    case 'rig.output':
      return data.text
    default:
      return undefined
  }
}
