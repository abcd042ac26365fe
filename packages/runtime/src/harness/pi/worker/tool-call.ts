import { isObject } from '../../../kit/index.ts'
export interface NamedCall {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

interface Row {
  readonly name: string
  /** The SDK's key to ours; a key that is not here stays as it is. */
  readonly keys: Readonly<Record<string, string>>
}

/** The tools of the SDK in the words that all harnesses share. */
const rows: ReadonlyMap<string, Row> = new Map([
  ['read', { name: 'Read', keys: { path: 'file_path' } }],
  ['write', { name: 'Write', keys: { path: 'file_path' } }],
  ['edit', { name: 'Edit', keys: { path: 'file_path', oldText: 'old_string', newText: 'new_string' } }],
  ['bash', { name: 'Bash', keys: {} }],
  ['ls', { name: 'LS', keys: {} }],
])

/** A tool call as clients are told of it. Total: an unknown tool and an odd input stay as they are. */
export function namedCall(tool: string, input: unknown): NamedCall {
  const { name, keys } = rows.get(tool) ?? { name: tool, keys: {} }
  if (!isObject(input)) return { name, input: input === undefined ? {} : { input } }
  return { name, input: flattened(renamed(input, keys), keys) }
}

export function toolName(tool: string): string {
  return rows.get(tool)?.name ?? tool
}

function renamed(input: Readonly<Record<string, unknown>>, keys: Row['keys']): Record<string, unknown> {
  const named = (key: string) => (Object.hasOwn(keys, key) ? (keys[key] ?? key) : key)
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [named(key), value]))
}

/** A single replacement is told like that of a tool that knows only one. */
function flattened(input: Record<string, unknown>, keys: Row['keys']): Readonly<Record<string, unknown>> {
  const { edits, ...rest } = input
  if (!Array.isArray(edits)) return input
  const all = edits.map((edit: unknown) => (isObject(edit) ? renamed(edit, keys) : edit))
  const [only] = all
  return all.length === 1 && isObject(only) ? { ...rest, ...only } : { ...rest, edits: all }
}
