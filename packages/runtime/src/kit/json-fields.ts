// Looking into JSON that came from outside: a wrong type reads as nothing, never as an error.

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** Only an own field counts: `constructor` and its like are no fields. */
export function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Keys of objects and numbers of list items. */
export type JsonPath = readonly PropertyKey[]

/** As people write it: `steps[2].file`, `env["a b"]`, or ''. */
export function formatPath(path: JsonPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    const key = String(step)
    if (!isPlainKey(key)) return `${text}[${shown(key)}]`
    return text === '' ? key : `${text}.${key}`
  }, '')
}

/** As it is when it looks like a name, else in quotes and shortened. */
export function formatKey(key: string): string {
  return isPlainKey(key) ? key : shown(key)
}

/** What the document itself holds there, never what is inherited. */
export function valueAt(root: unknown, path: JsonPath): unknown {
  let value = root
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = Reflect.get(value, step)
  }
  return value
}

/** In quotes, on one line, and not longer than a line of a message. */
export function shown(text: string): string {
  const short = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text
  return JSON.stringify(short)
}

const longestShown = 60

function isPlainKey(key: string): boolean {
  return key.length <= longestShown && /^[A-Za-z_$][\w$-]*$/.test(key)
}

/** A billion: more tokens than any model takes or writes in one answer. */
const mostTokens = 1_000_000_000

/** Whether a provider's figure can be a number of tokens. One that cannot is unknown, never zero. */
export function isTokenCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= mostTokens
}
