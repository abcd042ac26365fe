/**
 * Gates: where a run waits for a person, what is asked there, and what an answer means. Pure: folded from events of the
 * journal and read off plan and state. Whoever asks, writes and waits is elsewhere.
 */
export { bookTypes, emptyBook, type GateBook, heard, type Note, type Waiting } from './book.ts'
export { type GateMove, gateMove, redoAfter } from './move.ts'
export { type Place, placeOf, versionAt } from './place.ts'
