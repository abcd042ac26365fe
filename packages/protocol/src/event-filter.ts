/** Which events somebody looks for. All that is given must hold. */
export interface EventFilter {
  readonly types?: readonly string[] | undefined
  /** A runtime id; without `#n` all iterations are meant. */
  readonly codon?: string | undefined
  /** Occurs in a value of the data, small and capital letters alike. */
  readonly text?: string | undefined
  readonly failed?: boolean | undefined
}

/** An event as far as a filter looks at it. */
export interface FilteredEvent {
  readonly type: string
  readonly data?: unknown
}

/** Whether an event passes. For many events ask once with `fitsFilter(filter)`. */
export function fitsFilter({ types, codon, text, failed }: EventFilter): (event: FilteredEvent) => boolean {
  const wanted = types && new Set(types)
  const lower = text?.toLowerCase()
  return event => {
    if (wanted && !wanted.has(event.type)) return false
    if (codon !== undefined && !isOfCodon(codonOf(event), codon)) return false
    if (failed === true && !isFailure(event)) return false
    return lower === undefined || occursIn(event.data, lower)
  }
}

/** Runtime ids begin with the id of a codon. */
export function isOfCodon(codonId: unknown, wanted: string): boolean {
  return codonId === wanted || (typeof codonId === 'string' && codonId.startsWith(`${wanted}#`))
}

export function codonOf({ data }: FilteredEvent): string | undefined {
  const { codonId, codon } = Object(data) as { readonly codonId?: unknown; readonly codon?: unknown }
  if (typeof codonId === 'string') return codonId
  return typeof codon === 'string' ? codon : undefined
}

/** Types whose events may tell of a failure. */
export const mayFail: ReadonlySet<string> = new Set([
  'error',
  'tool.result',
  'codon.completed',
  'codon.retrying',
  'sentinel.error',
  'budget.exceeded',
  'rig.operation',
  'run.completed',
])

/** What a person looks for first when something went wrong. */
export function isFailure({ type, data }: FilteredEvent): boolean {
  const fields = Object(data) as Readonly<Record<string, unknown>>
  if (type === 'codon.completed') return fields['success'] === false
  if (type === 'run.completed') return fields['status'] === 'failed'
  if (type === 'tool.result') return fields['isError'] === true
  if (type === 'rig.operation') return fields['ok'] === false
  return mayFail.has(type)
}

/** `lower`: in small letters. */
export function occursIn(value: unknown, lower: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(lower)
  if (typeof value === 'number') return String(value).includes(lower)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(each => occursIn(each, lower))
}
