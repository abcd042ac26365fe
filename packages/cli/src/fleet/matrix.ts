import type { DataSet } from 'weave-fleet'

export type MatrixRead =
  | { readonly ok: true; readonly rows: readonly DataSet[] }
  | { readonly ok: false; readonly message: string }

/** What a key of a row may hold. */
const keys = {
  data: { isGood: isWord, expected: 'a path' },
  name: { isGood: isWord, expected: 'a text' },
  model: { isGood: isWord, expected: 'a text' },
  priority: {
    isGood: (value: unknown) => Number.isInteger(value) && Math.abs(value as number) <= 100,
    expected: 'a whole number from -100 to 100',
  },
  maxCost: {
    isGood: (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value > 0,
    expected: 'a number above 0',
  },
} as const

function isWord(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

/** One execution for each line of JSON; strict, so that a slip is found before a thousand executions run with it. */
export function readMatrix(text: string): MatrixRead {
  const rows: DataSet[] = []
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const row = rowOf(line)
    if (typeof row === 'string') return { ok: false, message: `line ${at + 1}: ${row}` }
    rows.push(row)
  }
  return rows.length > 0 ? { ok: true, rows } : { ok: false, message: 'it has no rows' }
}

function rowOf(line: string): DataSet | string {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return 'expected JSON'
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'expected an object'
  const row = value as Readonly<Record<string, unknown>>
  for (const [key, found] of Object.entries(row)) {
    if (!Object.hasOwn(keys, key))
      return `unknown key ${JSON.stringify(key)}; known are ${Object.keys(keys).join(', ')}`
    const { isGood, expected } = keys[key as keyof typeof keys]
    if (!isGood(found)) return `${key}: expected ${expected}; found ${JSON.stringify(found)}`
  }
  if (row['data'] === undefined) return 'data is missing'
  const { data, name, model, priority, maxCost } = row as {
    data: string
    name?: string
    model?: string
    priority?: number
    maxCost?: number
  }
  return { path: data, name, model, priority, maxCost: maxCost === undefined ? undefined : String(maxCost) }
}
