import type { JournaledEvent } from '@weave/protocol'
import { loadPatterns } from '../hank/index.ts'
import type { History, Journal } from '../journal/index.ts'
import type { Firing } from '../rules/index.ts'
import type { Runner } from '../runner/index.ts'
import type { RuleSetting } from '../settings/index.ts'

/**
 * What a rule let follow, and a crash came before it: the rule is in the journal, and no hold of it. The hold is asked for
 * now, once; the codon that was to be stopped has ended with the crash.
 */
export async function finishDeeds(journal: Pick<Journal, 'history' | 'append'>): Promise<void> {
  const open = new Map<string, number>()
  let armed = 0
  for await (const event of eventsOf(journal.history, deedTypes)) {
    if (event.type === 'rule.fired' && event.data.do !== 'notify' && !event.data.late)
      open.set(event.data.ruleId, event.seq)
    if (event.type !== 'gate.armed') continue
    armed++
    if (event.data.by.ruleId !== undefined) open.delete(event.data.by.ruleId)
  }
  for (const ruleId of open.keys()) {
    armed++
    const message = `Rule ${ruleId} was met.`
    journal.append('gate.armed', { gateId: `hold-${armed}`, message, by: { via: 'rule', ruleId } })
  }
}

const deedTypes: ReadonlySet<string> = new Set(['rule.fired', 'gate.armed'])

async function* eventsOf(history: History, types: ReadonlySet<string>): AsyncGenerator<JournaledEvent> {
  for await (const page of history.pages())
    for (const stored of page.events) {
      const event = types.has(history.type(stored)) ? await history.event(stored) : undefined
      if (event) yield event
    }
}

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
