import type { EventType, ServerEvent } from '@weave/protocol'
import { describeEvent } from './describe-event.ts'
import { harmless } from './harmless.ts'
import { type StreamEntry, type StreamKind, viewCaps } from './view-model.ts'
import { durationText } from './view-text.ts'

/** Types that appear in the stream as one plain sentence. */
const sentenceKinds: { readonly [T in EventType]?: StreamKind } = {
  info: 'info',
  error: 'error',
  'incomplete.codon': 'info',
  'run.started': 'run',
  'run.completed': 'run',
  'codon.started': 'codon',
  'codon.completed': 'codon',
  'codon.extended': 'codon',
  'loop.iteration.completed': 'codon',
  'archive.completed': 'info',
  'preflight.result': 'info',
  'codon.retrying': 'wait',
  'run.parked': 'wait',
  'rollback.started': 'rollback',
  'rollback.completed': 'rollback',
  'budget.exceeded': 'budget',
  'gate.armed': 'wait',
  'gate.waiting': 'wait',
  'gate.decided': 'wait',
  'rule.fired': 'wait',
  'sentinel.loaded': 'sentinel',
  'sentinel.unloaded': 'sentinel',
  'sentinel.error': 'sentinel',
}

/** Those whose sentence says what something cost. */
const pricedTypes: ReadonlySet<EventType> = new Set([
  'run.completed',
  'codon.completed',
  'loop.iteration.completed',
  'sentinel.unloaded',
])

/** What an event adds to the stream that people watch; most add nothing. `skipped`: of a codon that was passed over. */
export function streamEntryOf(event: ServerEvent, skipped = false): StreamEntry | undefined {
  if (skipped && event.type === 'codon.completed') return skippedEntry(event)
  const content = contentOf(event)
  if (content) return { id: event.id, time: event.timestamp, ...content, ...withCut(content) }
  const kind = sentenceKinds[event.type]
  if (!kind) return undefined
  return {
    kind,
    id: event.id,
    time: event.timestamp,
    ...shown(describeEvent(event, viewCaps.streamText)),
    ...(pricedTypes.has(event.type)
      ? { withoutCosts: describeEvent(event, viewCaps.streamText, { costs: false }) }
      : {}),
    ...('codonId' in event.data && event.data.codonId !== undefined ? { codonId: event.data.codonId } : {}),
    ...(isFailure(event) ? { failed: true } : {}),
  }
}

function skippedEntry({ id, timestamp, data }: ServerEvent<'codon.completed'>): StreamEntry {
  const text = `codon ${data.codonId} skipped by hand after ${durationText(data.duration)}`
  return { kind: 'codon', id, time: timestamp, codonId: data.codonId, ...shown(text) }
}

type Content = Pick<StreamEntry, 'kind' | 'text' | 'codonId' | 'source' | 'failed'> &
  Partial<Pick<StreamEntry, 'cut'>>

/** Events whose own text is the entry. */
function contentOf(event: ServerEvent): Content | undefined {
  switch (event.type) {
    case 'assistant.action': {
      const { action, codonId, content, toolName, toolInput } = event.data
      if (action !== 'tool_use') return { kind: action, codonId, text: content }
      if (!toolInput) return { kind: 'tool', codonId, source: toolName ?? 'tool', text: content }
      return { kind: 'tool', codonId, source: toolName ?? 'tool', ...inputOf(toolInput) }
    }
    case 'tool.result': {
      const { codonId, toolName, result, isError } = event.data
      return { kind: 'result', codonId, source: toolName, text: result, ...(isError ? { failed: true } : {}) }
    }
    case 'sentinel.output': {
      const { codonId, sentinelId, content } = event.data
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      return { kind: 'sentinel', codonId, source: sentinelId, text }
    }
    case 'rig.output':
      return { kind: 'rig', codonId: event.data.codonId, source: event.data.stream, text: event.data.text }
    default:
      return undefined
  }
}

function withCut({ text, cut = false }: Content): Pick<StreamEntry, 'text' | 'cut'> {
  const short = shown(text)
  return { ...short, cut: cut || short.cut }
}

/** Characters of one field of a tool's input, where all of them are too many. */
const longestField = 1_500

/** The input of a tool as JSON. One that is too long is cut in its fields, so that it can still be read as JSON. */
function inputOf(input: object): { readonly text: string; readonly cut: boolean } {
  const text = JSON.stringify(input)
  if (text.length <= viewCaps.streamText) return { text, cut: false }
  const short = JSON.stringify(input, (_, value: unknown) =>
    typeof value === 'string' && value.length > longestField ? `${value.slice(0, longestField)}…` : value,
  )
  return { text: short, cut: true }
}

function isFailure(event: ServerEvent): boolean {
  if (event.type === 'codon.completed') return !event.data.success
  if (event.type === 'run.completed') return event.data.status === 'failed'
  if (event.type === 'error') return event.data.severity !== 'warning'
  return event.type === 'sentinel.error'
}

/** Short and harmless. A slice of a long text keeps all of it in memory; going through JSON makes it a text of its own. */
function shown(text: string): Pick<StreamEntry, 'text' | 'cut'> {
  if (text.length <= viewCaps.streamText) return { text: harmless(text), cut: false }
  const short = String(JSON.parse(JSON.stringify(text.slice(0, viewCaps.streamText))))
  return { text: harmless(short), cut: true }
}
