import { isObject } from '../kit/index.ts'

/** Looking into JSON that came from outside: a wrong type reads as nothing, never as an error. */

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
