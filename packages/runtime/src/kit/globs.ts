import ignore from 'ignore'

export interface MatcherLimits {
  readonly maxPatterns?: number
  /** Characters of one pattern. */
  readonly maxLength?: number
  /** `**` inside one pattern: the time for a deep path grows with its depth to the power of this. */
  readonly maxGlobstars?: number
}

export type MatcherResult =
  | {
      readonly ok: true
      /**
       * Whether the patterns select this path, `/`-separated and relative to where the patterns belong. Never throws: a
       * leading `./`, doubled slashes and odd characters are fine, and a path that leaves the root is not selected.
       */
      matches(relativePath: string, isDirectory: boolean): boolean
    }
  | {
      readonly ok: false
      readonly reason: 'too-many-patterns' | 'too-long' | 'too-many-globstars' | 'invalid'
      /** Position of the pattern at fault. */
      readonly index: number
      readonly message: string
    }

/**
 * A selection by the rules of a gitignore file, case-sensitive: what git would ignore is what is selected. A directory
 * selects everything below it, `!` takes out again (but not from below a selected directory), the last match wins, blank
 * patterns and `#` comments select nothing. Never throws: patterns come from outside, and a bad one is a value.
 */
export function createMatcher(patterns: readonly string[], limits: MatcherLimits = {}): MatcherResult {
  const wrong = exceeds(patterns, limits) ?? invalid(patterns)
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

type Refusal = Extract<MatcherResult, { ok: false }>

function exceeds(patterns: readonly string[], limits: MatcherLimits): Refusal | undefined {
  const { maxPatterns = 1000, maxLength = 4096, maxGlobstars = 3 } = limits
  if (patterns.length > maxPatterns) {
    const message = `more than ${maxPatterns} patterns`
    return { ok: false, reason: 'too-many-patterns', index: maxPatterns, message }
  }
  for (const [index, pattern] of patterns.entries()) {
    if (pattern.length > maxLength) {
      return { ok: false, reason: 'too-long', index, message: `longer than ${maxLength} characters` }
    }
    if (countGlobstars(pattern) > maxGlobstars) {
      return { ok: false, reason: 'too-many-globstars', index, message: `more than ${maxGlobstars} times **` }
    }
  }
  return undefined
}

function countGlobstars(pattern: string): number {
  return pattern.match(/\*{2,}/g)?.length ?? 0
}

/** Patterns are compiled at their first use; here, so that one that cannot be is found now. */
function invalid(patterns: readonly string[]): Refusal | undefined {
  for (const [index, pattern] of patterns.entries()) {
    try {
      compile([pattern]).ignores('x')
    } catch {
      return { ok: false, reason: 'invalid', index, message: 'not a valid pattern' }
    }
  }
  return undefined
}

function normalize(path: string): string | undefined {
  const parts = path.split('/').filter(part => part !== '' && part !== '.')
  if (parts.length === 0 || parts.includes('..')) return undefined
  return hideLineEnds(parts.join('/'))
}

/** In the compiled rules `**` stops at the end of a line, which a file name may hold: stand-ins for such characters. */
function hideLineEnds(text: string): string {
  return text.replace(/[\n\r\u2028\u2029]/g, '\uE00A')
}
