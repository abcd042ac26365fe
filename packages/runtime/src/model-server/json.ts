/** Looking into JSON that came from outside: a wrong type reads as nothing, never as an error. */

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function field(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function keys(value: unknown): readonly string[] {
  return isObject(value) ? Object.keys(value) : []
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Arguments of tools travel as a string in some dialects. What is no JSON stays as it is. */
export function parsedText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
