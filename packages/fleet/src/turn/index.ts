/** One turn: a claim of an execution by a worker, from claim to hand-back. */

export type { BatchOptions, ClaimedExecution } from './claimed.ts'
export type {
  CodonCosts,
  FromTurn,
  GateAnswer,
  RequestFacts,
  RequestOutcome,
  RequestWord,
  ToTurn,
  TurnEnd,
  TurnJob,
  TurnStep,
  TurnWord,
} from './messages.ts'
export { createPlaces, eachOf, type Head, type Places } from './place.ts'
export type { RequestRule } from './requests.ts'
export type { RestSetting } from './rest-setting.ts'
export { type NamedTree, type StoredTree, unpackTree } from './tree.ts'
export { type Turn, takeTurn } from './turn.ts'
export type { TurnProgram } from './turn-process.ts'
