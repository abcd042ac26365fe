import type { GivenUsage, Usage } from './answer.ts'
import type { WirePart } from './dialects/dialect.ts'
import type { RequestReading, Turn } from './model-request.ts'

/** About four characters a token, and never nothing. The same texts give the same figure, always. */
function tokensOf(characters: number): number {
  return Math.max(1, Math.ceil(characters / 4))
}

export function estimateInput({ system, turns }: Pick<RequestReading, 'system' | 'turns'>): number {
  return tokensOf(turns.reduce((sum, turn) => sum + lengthOf(turn), system.length))
}

export function usageFor(
  given: GivenUsage | undefined,
  request: Pick<RequestReading, 'system' | 'turns'>,
  parts: readonly WirePart[],
): Usage {
  if (given) {
    const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = given
    return { input, output, cacheRead, cacheWrite }
  }
  const written = parts.reduce((sum, part) => sum + partLength(part), 0)
  return { input: estimateInput(request), output: tokensOf(written), cacheRead: 0, cacheWrite: 0 }
}

function lengthOf({ text, calls, results }: Turn): number {
  const asked = calls.reduce((sum, call) => sum + inputLength(call.input), 0)
  return results.reduce((sum, result) => sum + result.text.length, text.length + asked)
}

function partLength(part: WirePart): number {
  return part.kind === 'call' ? inputLength(part.input) : part.text.length
}

function inputLength(input: unknown): number {
  return JSON.stringify(input ?? null).length
}
