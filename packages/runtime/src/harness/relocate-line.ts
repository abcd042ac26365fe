import { isObject } from '../kit/index.ts'

/** The workspace that a conversation speaks of, by all its names, and the one that it goes on in. */
export interface Relocation {
  readonly from: readonly string[]
  readonly to: string
}

export interface Relocated {
  readonly line: string
  /** Mentions that were changed. */
  readonly places: number
  /** Mentions that had to stay, because what a model has signed must not be changed. */
  readonly left: number
}

/**
 * One line of a conversation with the new workspace in place of the old one, in texts, inputs and results, so that an agent
 * which goes on does not write into the old one. Thinking and signatures stay as they are: a provider refuses a conversation
 * in which one was touched. A line without a mention stays byte for byte. Pure.
 */
export function relocateLine(line: string, { from, to }: Relocation): Relocated {
  if (!from.some(path => line.includes(path))) return { line, places: 0, left: 0 }
  const counts = { places: 0, left: 0 }
  const mention = new RegExp(from.map(mentionOf).join('|'), 'g')
  const text = (value: string, isSealed: boolean): string => {
    const found = value.match(mention)?.length ?? 0
    counts[isSealed ? 'left' : 'places'] += found
    return found === 0 || isSealed ? value : value.replace(mention, () => to)
  }
  const value = parsed(line)
  if (value === undefined) return { line: text(line, false), ...counts }
  const changed = walked(value, false, text)
  return { line: counts.places === 0 ? line : JSON.stringify(changed), ...counts }
}

/** The path as a whole: neither the end of a longer one nor the beginning of another name. */
function mentionOf(path: string): string {
  return `(?<![\\w.-])${path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-]|\\.\\w)`
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

type Text = (value: string, isSealed: boolean) => string

function walked(value: unknown, isSealed: boolean, text: Text): unknown {
  if (typeof value === 'string') return text(value, isSealed)
  if (Array.isArray(value)) return value.map(item => walked(item, isSealed, text))
  if (!isObject(value)) return value
  const sealed = isSealed || sealedTypes.has(String(value['type']))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      text(key, sealed),
      walked(item, sealed || sealedKey.test(key), text),
    ]),
  )
}

/** As the agents write them down: blocks that only the model may have made, and what proves that. */
const sealedTypes: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking', 'reasoning'])
const sealedKey = /signature$|^thinking$|^redacted_?thinking$|^encrypted_?content$/i
