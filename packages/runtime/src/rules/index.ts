/**
 * Rules: what an operator lets follow from what a sentinel said, or from a pattern of events.
 *
 * Owns what a hit is, how hits are counted, and when a rule fires: pure functions over events, the same live and over a
 * recorded journal. Conditions and triggers are those of sentinels. It does nothing itself; the machine does, and only
 * three things: tell, hold, stop.
 */
export { type RuleFault, ruleFaults } from './check.ts'
export { createRuleMatcher, type Firing, type RuledEvent } from './matcher.ts'
