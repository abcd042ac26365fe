import { harmless } from 'weave-client'

/** What a tool has to say, before it is brought to the size that a client takes. */
export type Answer =
  | { readonly kind: 'value'; readonly value: object; readonly links?: readonly ResourceLink[] }
  | { readonly kind: 'error'; readonly error: ToolError }
  /** A person has to say yes first. `state` comes back with what they said. */
  | {
      readonly kind: 'ask'
      readonly message: string
      readonly state: string
      /** What the person fills in; absent: yes or no. */
      readonly fields?: Readonly<Record<string, Field>>
    }

/** One question of a form. Only what a person may leave out has no choices. */
export type Field =
  | { readonly type: 'string'; readonly title: string; readonly enum: readonly string[] }
  | { readonly type: 'string'; readonly title: string; readonly maxLength: number }

export interface ResourceLink {
  readonly uri: string
  readonly name: string
  readonly mimeType: string
}

/** Why nothing was done, for programs and in words: what is wrong, what to do. */
export interface ToolError {
  readonly code: string
  readonly message: string
  readonly [more: string]: unknown
}

/** Rows of an answer that can be left out, and what to ask for to get the rest. */
export interface Rows {
  readonly field: string
  readonly next: (shown: readonly unknown[], value: Readonly<Record<string, unknown>>) => unknown
  /** Other fields, as they are when only these rows are shown. */
  readonly besides?: (shown: readonly unknown[]) => object
}

export function value(given: object, links?: readonly ResourceLink[]): Answer {
  return { kind: 'value', value: given, ...(links && { links }) }
}

export function failure(code: string, message: string, more: object = {}): Answer {
  return { kind: 'error', error: { code, message, ...more } }
}

/** No text that a client gets is longer, in characters. */
export const longestText = 40_000

/** The longest single text of a row; what is longer is cut and says so. */
const longestString = 8_000

/**
 * The value with every text made harmless, and as many of its rows as fit into `longestText` as JSON. `truncated` says how
 * many there were and how to get the rest. One row that is too large by itself is named, not shown.
 */
export function fitted(given: object, rows?: Rows): Readonly<Record<string, unknown>> {
  const clean = cleaned(given, rows ? longestString : longestText) as Record<string, unknown>
  if (JSON.stringify(clean).length <= longestText) return clean
  const field = rows?.field ?? ''
  const all = clean[field]
  if (!rows || !Array.isArray(all)) return { truncated: { shown: 0, total: 1, next: null } }
  const room = longestText - JSON.stringify({ ...clean, [field]: [] }).length - roomForNote
  const shown = fittingRows(all, room)
  const truncated = { shown: shown.length, total: all.length, next: rows.next(shown, clean) ?? null }
  return { ...clean, ...rows.besides?.(shown), [field]: shown, truncated }
}

const roomForNote = 200

/** At least one, so that whoever pages comes to the end. */
function fittingRows(all: readonly unknown[], room: number): readonly unknown[] {
  let used = 0
  const count = all.findIndex(row => {
    used += JSON.stringify(row).length + 1
    return used > room
  })
  if (count !== 0) return count === -1 ? all : all.slice(0, count)
  return [smallRow(all[0])]
}

/** What identifies a row stays; what is large in it goes. */
function smallRow(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return { tooLarge: true }
  const small = Object.entries(row).filter(([, each]) => JSON.stringify(each ?? null).length <= 1_000)
  return { ...Object.fromEntries(small), tooLarge: true }
}

function cleaned(given: unknown, longest: number): unknown {
  if (typeof given === 'string') return cutString(harmless(given), longest)
  if (Array.isArray(given)) return given.map(each => cleaned(each, longest))
  if (typeof given !== 'object' || given === null) return given
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, each]) =>
      each === undefined ? [] : [[harmless(key), cleaned(each, longest)]],
    ),
  )
}

function cutString(text: string, longest: number): string {
  if (text.length <= longest) return text
  return `${wellFormed(text.slice(0, longest))}… [${text.length - longest} characters more]`
}

/** Half a pair at the end is no character. */
function wellFormed(text: string): string {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text
}

/** The beginning of a text that takes at most `room` characters as harmless JSON. */
export function beginningOf(text: string, room: number): string {
  let part = text.slice(0, room)
  for (;;) {
    const length = JSON.stringify(harmless(part)).length
    if (length <= room) return wellFormed(part)
    part = part.slice(0, Math.floor((part.length * room) / length) - 1)
  }
}

/** `CODE: what is wrong. What to do.` */
export function errorText({ code, message }: ToolError): string {
  return harmless(`${code}: ${message}`)
}
