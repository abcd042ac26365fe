import { formatPath, type JsonPath } from '../../kit/index.ts'

export interface Difference {
  /** The way to it, as people write it. */
  readonly field: string
  /** Excerpts. */
  readonly recorded: string
  readonly present: string
}

/** The first place, in the order of the recorded value, where two JSON values are not equal. */
export function firstDifference(
  recorded: unknown,
  present: unknown,
  path: JsonPath = [],
): Difference | undefined {
  if (recorded === present) return undefined
  if (typeof recorded === 'string' && typeof present === 'string')
    return { field: formatPath(path), ...textExcerpts(recorded, present) }
  if (!isParent(recorded) || !isParent(present) || Array.isArray(recorded) !== Array.isArray(present))
    return { field: formatPath(path), recorded: excerpt(recorded), present: excerpt(present) }
  for (const key of keysOf(recorded, present)) {
    const step = Array.isArray(recorded) ? Number(key) : key
    const found = firstDifference(own(recorded, key), own(present, key), [...path, step])
    if (found) return found
  }
  return undefined
}

type Parent = Readonly<Record<string, unknown>>

function isParent(value: unknown): value is Parent {
  return typeof value === 'object' && value !== null
}

function keysOf(recorded: Parent, present: Parent): readonly string[] {
  return [...new Set([...Object.keys(recorded), ...Object.keys(present)])]
}

function own(value: Parent, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined
}

const before = 24
const longest = 72

/** Both begin a little before the first character that differs. */
function textExcerpts(recorded: string, present: string): Pick<Difference, 'recorded' | 'present'> {
  let same = 0
  while (same < recorded.length && recorded[same] === present[same]) same++
  const from = Math.max(0, same - before)
  const show = (text: string): string => {
    const piece = text.slice(from, from + longest)
    const quoted = JSON.stringify(piece)
    return `${from > 0 ? '…' : ''}${quoted}${from + longest < text.length ? '…' : ''}`
  }
  return { recorded: show(recorded), present: show(present) }
}

function excerpt(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
