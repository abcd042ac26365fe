/** One turn: a claim of an execution by a worker, from claim to hand-back. */

export type { FromTurn, ToTurn, TurnEnd, TurnJob, TurnStep, TurnWord } from './messages.ts'
export { createPlaces, type Head, type Places, type StoredTree } from './place.ts'
export { type BatchOptions, type ClaimedExecution, type Turn, takeTurn } from './turn.ts'
export type { TurnProgram } from './turn-process.ts'
