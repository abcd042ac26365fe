import ignore from 'ignore'
import type { Refused } from './errors.ts'

/** So that patterns from outside take no more than a moment. */
interface MatcherLimits {
  readonly maxPatterns?: number
  readonly maxLength?: number
  /** `**` inside one pattern: the time for a deep path grows with its depth to the power of this. */
  readonly maxGlobstars?: number
  /** `*`, `?` and `[` in all patterns: each takes time when the patterns are first used. */
  readonly maxWildcards?: number
}

type Reason = 'too-many-patterns' | 'too-long' | 'too-many-globstars' | 'too-many-wildcards' | 'invalid'

/** Why patterns are not taken; `index`: the one at fault. */
type PatternRefusal = Refused<{ readonly reason: Reason; readonly index: number; readonly message: string }>

interface Matcher {
  /** Whether they select this path, `/`-separated and relative. Never throws; a path that leaves the root is not selected. */
  matches(relativePath: string, isDirectory: boolean): boolean
}

/** By the rules of a gitignore file, case-sensitive: what git would ignore is selected. A bad pattern is a value. */
export function createMatcher(
  patterns: readonly string[],
  limits: MatcherLimits = {},
): ({ readonly ok: true } & Matcher) | PatternRefusal {
  const wrong = refusePatterns(patterns, limits)
  if (wrong) return wrong
  let rules = compile(patterns)
  let remembered = 0
  return {
    ok: true,
    matches(relativePath, isDirectory) {
      const path = normalize(relativePath)
      if (path === undefined) return false
      // The rules remember every answer; a matcher that lives long would grow without end.
      if (remembered++ === answersKept) {
        rules = compile(patterns)
        remembered = 0
      }
      return rules.ignores(isDirectory ? `${path}/` : path)
    },
  }
}

const answersKept = 50_000

function compile(patterns: readonly string[]): ignore.Ignore {
  return ignore({ ignorecase: false, allowRelativePaths: true }).add(patterns.map(hideLineEnds))
}

/** Why `createMatcher` would refuse these; quicker than making one. */
export function refusePatterns(
  patterns: readonly string[],
  limits: MatcherLimits = {},
): PatternRefusal | undefined {
  return exceeds(patterns, limits) ?? invalid(patterns)
}

function exceeds(patterns: readonly string[], limits: MatcherLimits): PatternRefusal | undefined {
  const { maxPatterns = 1_000, maxLength = 1_000, maxGlobstars = 3, maxWildcards = 40_000 } = limits
  if (patterns.length > maxPatterns)
    return refusal('too-many-patterns', maxPatterns, `more than ${maxPatterns} patterns`)
  let wildcards = 0
  for (const [index, pattern] of patterns.entries()) {
    wildcards += count(/[*?[]/g, pattern)
    if (pattern.length > maxLength) return refusal('too-long', index, `longer than ${maxLength} characters`)
    if (count(/\*{2,}/g, pattern) > maxGlobstars)
      return refusal('too-many-globstars', index, `more than ${maxGlobstars} times **`)
    if (wildcards > maxWildcards)
      return refusal('too-many-wildcards', index, `more than ${maxWildcards} wildcards`)
  }
  return undefined
}

function refusal(reason: Reason, index: number, message: string): PatternRefusal {
  return { ok: false, reason, index, message }
}

function count(what: RegExp, text: string): number {
  return text.match(what)?.length ?? 0
}

/** Patterns are compiled at their first use; here, to find one that cannot be. Without `[` each one can. */
function invalid(patterns: readonly string[]): PatternRefusal | undefined {
  for (const [index, pattern] of patterns.entries()) {
    if (!/[[\\]/.test(pattern)) continue
    try {
      compile([pattern]).ignores('x')
    } catch {
      return refusal('invalid', index, 'not a valid pattern')
    }
  }
  return undefined
}

function normalize(path: string): string | undefined {
  const parts = path.split('/').filter(part => part !== '' && part !== '.')
  if (parts.length === 0 || parts.includes('..')) return undefined
  return hideLineEnds(parts.join('/'))
}

/** In the compiled rules `**` stops at a line end, which a file name may hold: stand-ins for such characters. */
function hideLineEnds(text: string): string {
  return text.replace(/[\n\r\u2028\u2029]/g, '\uE00A')
}
