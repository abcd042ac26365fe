import { loadPatterns } from '../hank/index.ts'
import type { Journal } from '../journal/index.ts'
import type { Firing } from '../rules/index.ts'
import type { Runner } from '../runner/index.ts'
import type { RuleSetting } from '../settings/index.ts'

export interface RulingOptions {
  readonly rules: readonly RuleSetting[]
  readonly journal: Pick<Journal, 'subscribe'>
}

/**
 * Follows the events of a run and says which rules are met, as they are journaled. Call what it returns with the runner that
 * is to hear of that; what is met before waits. Loads nothing when there are no rules.
 */
export async function openRuling({
  rules,
  journal,
}: RulingOptions): Promise<(runner: Pick<Runner, 'rule'>) => void> {
  if (rules.length === 0) return () => undefined
  const { createRuleMatcher } = await import('../rules/index.ts')
  const matcher = createRuleMatcher(rules, await loadPatterns())
  let early: Firing[] = []
  let tell = (firing: Firing): void => void early.push(firing)
  journal.subscribe(({ event }) => {
    for (const firing of matcher.add(event)) tell(firing)
  })
  return runner => {
    tell = ({ rule, ...firing }) =>
      runner.rule({ ...firing, ruleId: rule.id, do: rule.do, message: rule.message })
    for (const firing of early) tell(firing)
    early = []
  }
}
