import type { JsonPath } from '../kit/index.ts'
import { loadPatterns } from './sentinel-patterns.ts'
import type { SentinelCondition, SentinelConfig } from './sentinel-schema.ts'

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
