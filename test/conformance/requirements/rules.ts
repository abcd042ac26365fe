import type { RequirementTable } from '../requirement.ts'

/** What an operator lets follow from a sentinel or from events. */
export const rules = {
  'rules/strict':
    '`rules` of `weave.json` is checked strictly: exactly one of `sentinel` and `trigger`, unique ids, no templates in messages, and twice at least for a `stop` by a sentinel.',
  'rules/load-errors':
    'A rule that names a sentinel or a codon that the hank does not have, or a sentinel without structured output, is an error before anything starts.',
  'rules/in-a-row':
    'A rule is met after so many hits in a row, at most so often in an attempt, and anew in each attempt.',
  'rules/within': 'With `withinSeconds` hits count within that time, by the times of the events.',
  'rules/where': 'A rule with `codons` holds in these; hits count only while a codon runs.',
  'rules/sequence': 'A trigger of a rule is one of a sentinel: events with conditions, or a sequence.',
  'rules/sentinel': 'A rule on a sentinel is met by structured outputs of that sentinel that fulfil `when`.',
  'rules/never-itself': 'What follows from rules and sentinels meets no trigger.',
  'rules/granted-deeds': 'Whatever a sentinel says, only what the rule grants follows: tell, hold or stop.',
  'rules/same-as-tested': 'What fires live is what `weave rules test` finds in the recorded journal.',
  'rules/told-first': '`rule.fired` with its evidence is in the journal before its effect.',
  'rules/notify': 'With `notify` targets that want `rule.fired` are told, and nothing else happens.',
  'rules/hold': 'With `hold` the run waits at a gate before the next codon, with the words of the rule.',
  'rules/stop':
    'With `stop` the codon is stopped within a second, for the reason `rule <id>`, and the run waits at a gate; going on passes the codon over. A codon that had ended is not stopped: `late`.',
  'rules/crash': 'What a rule lets follow is done once after a crash that came before it.',
  'rules/test-command':
    '`weave rules test` says when each rule would have fired in recorded executions, by `weave.json` or the file that `--rules` names.',
} as const satisfies RequirementTable
