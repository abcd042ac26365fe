import { harmlessJson } from 'weave-client'

/** JSON with the same meaning and nothing in it that a terminal or, printed in a step, GitHub obeys. */
export function inertJson(value: unknown): string {
  return harmlessJson(JSON.stringify(value, null, 2)).replaceAll('##[', '##\\u005b')
}
