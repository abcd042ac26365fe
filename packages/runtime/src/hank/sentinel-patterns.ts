import type { JsonPath } from '../kit/index.ts'
import type { SentinelCondition, SentinelConfig } from './sentinel-schema.ts'
/** A regular expression of a hank, ready to be tried on texts of any size and origin. */
export type CompiledPattern =
  | {
      readonly ok: true
      /**
       * Whether the pattern occurs in the text. Takes time in proportion to the text, never more than a fraction of a
       * second: of a very long text only the beginning is looked at, the longer the simpler the pattern is.
       */
      test(text: string): boolean
    }
  | { readonly ok: false; readonly message: string }

/** Never throws. */
export type PatternCompiler = (pattern: string) => CompiledPattern

const longestPattern = 1_000
/** Repetitions are written out when a pattern is built: `(a{100}){9}` is short and has 900 instructions. */
const mostInstructions = 1_000
/** Every instruction may have to be tried on every character. */
const mostWork = 1_000_000

/**
 * The one way to build a pattern, for the check at load and for the running sentinel. It knows what JavaScript's own
 * expressions know but for looking around and back references, which are what makes those hang.
 */
export async function loadPatterns(): Promise<PatternCompiler> {
  const { RE2JS } = await import('re2js')
  return pattern => {
    if (pattern.length > longestPattern)
      return { ok: false, message: `the pattern is longer than ${longestPattern} characters` }
    // Before it is built: that alone would take long.
    if (repetitionsIn(pattern) > mostInstructions) return { ok: false, message: repeatsTooMuch }
    try {
      const expression = RE2JS.compile(RE2JS.translateRegExp(pattern))
      const size = expression.programSize()
      if (size > mostInstructions) return { ok: false, message: repeatsTooMuch }
      const longest = Math.floor(mostWork / size)
      return {
        ok: true,
        test: text => expression.test(text.length > longest ? text.slice(0, longest) : text),
      }
    } catch (error) {
      return { ok: false, message: `is not a valid regular expression${reason(error)}` }
    }
  }
}

const repeatsTooMuch = 'the pattern repeats too much; use smaller counts'

function repetitionsIn(pattern: string): number {
  const counts = pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)
  return [...counts].reduce((sum, [, least, most]) => sum + Math.max(Number(least), Number(most ?? 0)), 0)
}

function reason(error: unknown): string {
  const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : ''
  if (/unsupported Perl syntax|`\\[1-9k]/.test(why))
    return `: looking around and back references do not exist here (${why})`
  return why === '' ? '' : `: ${why}`
}

/**
 * Builds every pattern of a configuration and tells those that cannot be built. None of them is tried on anything. Loads
 * what builds patterns only for a configuration that has some.
 */
export async function checkPatterns(
  { trigger }: SentinelConfig,
  fault: (path: JsonPath, message: string) => void,
): Promise<void> {
  const places = conditionsOf(trigger).filter(({ condition }) => condition.operator === 'matches')
  if (places.length === 0) return
  const compile = await loadPatterns()
  for (const { condition, path } of places) {
    const compiled = condition.operator === 'matches' ? compile(condition.value) : undefined
    if (compiled?.ok === false) fault([...path, 'value'], compiled.message)
  }
}

/** The patterns of a trigger and of conditions beside it that cannot be built. */
export function patternFaults(
  {
    trigger,
    when,
  }: {
    readonly trigger?: SentinelConfig['trigger'] | undefined
    readonly when: readonly SentinelCondition[]
  },
  compile: PatternCompiler,
): readonly string[] {
  const all = [...when, ...(trigger ? conditionsOf(trigger).map(({ condition }) => condition) : [])]
  return all.flatMap(condition => {
    if (condition.operator !== 'matches') return []
    const compiled = compile(condition.value)
    return compiled.ok ? [] : [`the pattern ${condition.value}: ${compiled.message}`]
  })
}

interface PlacedCondition {
  readonly condition: SentinelCondition
  readonly path: JsonPath
}

function conditionsOf(trigger: SentinelConfig['trigger']): readonly PlacedCondition[] {
  const placed = (conditions: readonly SentinelCondition[] | undefined, path: JsonPath) =>
    (conditions ?? []).map((condition, at) => ({ condition, path: [...path, 'conditions', at] }))
  if (trigger.type === 'event') return placed(trigger.conditions, ['trigger'])
  return trigger.pattern.flatMap(({ conditions }, step) => placed(conditions, ['trigger', 'pattern', step]))
}
