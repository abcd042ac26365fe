import { type JsonPath, valueAt } from '../kit/index.ts'

/**
 * What to write instead of a short form that people try, as a sentence with the very values of the file; undefined when a
 * wrong value is something else.
 */
export function fullForm(hank: unknown, path: JsonPath): string | undefined {
  const value = valueAt(hank, path)
  const field = path.at(-1)
  if (field === undefined) {
    return Array.isArray(value) ? 'The root is an object: put the list under "hank".' : undefined
  }
  if (typeof field === 'number') return ofItem(path.at(-2), value)
  if (value === undefined) return ofMissing(valueAt(hank, path.slice(0, -1)), field)
  return ofField(path, value)
}

/** The same for a field that is valid, but not so high up: `from` beside `copy`, or the limit of a loop. */
export function nestedForm(hank: unknown, path: JsonPath, key: string): string | undefined {
  const around = valueAt(hank, path)
  if (isOperationAt(path)) {
    const home = homes.find(([, fields]) => fields.includes(key))?.[0]
    return home && `It belongs into ${home}.`
  }
  const isLoop = valueAt(around, ['type']) === 'loop' || valueAt(around, ['codons']) !== undefined
  if (path.length !== 2 || !isLoop || !loopLimits.has(key)) return undefined
  const limit: unknown = valueAt(around, [key])
  return write({ terminateOn: iterationLimit(typeof limit === 'number' ? limit : 3) }, 'inner')
}

const loopLimits = new Set([
  'maxIterations',
  'iterations',
  'limit',
  'iterationLimit',
  'maxLoops',
  'times',
  'count',
])

/** What the two kinds of operation keep one level deeper. */
const homes: readonly (readonly [home: string, fields: readonly string[]])[] = [
  ['copy', ['from', 'to']],
  ['command', ['run', 'workingDirectory']],
]

function isOperationAt(path: JsonPath): boolean {
  return typeof path.at(-1) === 'number' && (path.at(-2) === 'rigSetup' || path.at(-2) === 'beforeCopy')
}

function ofMissing(around: unknown, field: PropertyKey): string | undefined {
  const fields = homes.find(([home]) => home === field)?.[1] ?? []
  const flat = fields.flatMap(key => {
    const value = valueAt(around, [key])
    return value === undefined ? [] : [[key, value] as const]
  })
  return flat.length === 0 ? undefined : write({ [String(field)]: Object.fromEntries(flat) }, 'inner')
}

function ofItem(list: PropertyKey | undefined, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  switch (list) {
    case 'outputFiles':
      return write({ copy: [value] })
    case 'sentinels':
      return write({ sentinelConfig: value })
    case 'rigSetup':
    case 'beforeCopy':
      return write({ type: 'command', command: { run: value } })
    default:
      return undefined
  }
}

/** Whether it is a list of texts, which people write as one text. */
function isTextList(path: JsonPath): boolean {
  const field = path.at(-1)
  if (field === 'copy') return path.at(-3) === 'outputFiles'
  if (field === 'env') return path.at(-2) === 'requirements'
  return field === 'checkpointedFiles' || field === 'archiveOnSuccess'
}

function ofField(path: JsonPath, value: unknown): string | undefined {
  const field = path.at(-1)
  if (field === 'budget' && typeof value === 'number') return write({ maxDollars: value })
  if (field === 'terminateOn' && typeof value === 'number') return write(iterationLimit(value))
  if (typeof value !== 'string') return undefined
  if (field === 'terminateOn' && value === 'contextExceeded') return write({ type: value })
  if (field === 'command') return write({ run: value })
  if (field === 'outputFiles') return write([{ copy: [value] }])
  if (field === 'sentinels') return write([{ sentinelConfig: value }])
  return isTextList(path) ? write([value]) : undefined
}

function iterationLimit(limit: number): object {
  return { type: 'iterationLimit', limit }
}

const longest = 120

/** `Write {"a": 1}.`; `inner` leaves out the braces around it. Undefined for something too long to read. */
function write(form: object, part?: 'inner'): string | undefined {
  const text = spaced(form)
  if (text.length > longest) return undefined
  return `Write ${part === 'inner' ? text.slice(1, -1) : text}.`
}

/** JSON as people write it on one line. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`)
  return `{${entries.join(', ')}}`
}
