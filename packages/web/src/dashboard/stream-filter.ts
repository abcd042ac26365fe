import type { WindowEvent } from 'weave-client'
import type { Parameters } from './routes.ts'

/** What of a journal is shown; each part narrows it. */
export interface StreamFilter {
  readonly type?: string
  readonly codon?: string
  readonly text?: string
  readonly failed?: '1'
}

export function filterOf({ q, type, codon, failed }: Parameters): StreamFilter {
  return {
    ...(q === undefined ? {} : { text: q }),
    ...(type === undefined ? {} : { type }),
    ...(codon === undefined ? {} : { codon }),
    ...(failed === undefined ? {} : { failed: '1' as const }),
  }
}

export function isEmptyFilter(filter: StreamFilter): boolean {
  return Object.keys(filter).length === 0
}

/** Whether a live event passes, as the host decides it for the past. */
export function fitsFilter(event: WindowEvent, { type, codon, text, failed }: StreamFilter): boolean {
  if (type !== undefined && !type.split(',').includes(event.type)) return false
  if (codon !== undefined && !isOfCodon(codonOf(event), codon)) return false
  if (failed !== undefined && !isFailure(event)) return false
  return text === undefined || occursIn(event.data, text.toLowerCase())
}

/** Without `#n` all iterations are meant. */
function isOfCodon(codonId: string | undefined, wanted: string): boolean {
  return codonId === wanted || codonId?.startsWith(`${wanted}#`) === true
}

function occursIn(value: unknown, lower: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(lower)
  if (typeof value === 'number') return String(value).includes(lower)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(each => occursIn(each, lower))
}

export function codonOf({ data }: WindowEvent): string | undefined {
  const { codonId, codon } = Object(data) as { readonly codonId?: unknown; readonly codon?: unknown }
  if (typeof codonId === 'string') return codonId
  return typeof codon === 'string' ? codon : undefined
}

/** What a person looks for first when something went wrong. */
export function isFailure({ type, data }: WindowEvent): boolean {
  const fields = Object(data) as Readonly<Record<string, unknown>>
  switch (type) {
    case 'codon.completed':
      return fields['success'] === false
    case 'run.completed':
      return fields['status'] === 'failed'
    case 'tool.result':
      return fields['isError'] === true
    case 'rig.operation':
      return fields['ok'] === false
    case 'error':
    case 'codon.retrying':
    case 'sentinel.error':
    case 'budget.exceeded':
      return true
    default:
      return false
  }
}
