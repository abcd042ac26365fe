/**
 * Versions as tools: find the one at which something broke, begin another execution at one, compare two executions. Works on
 * executions that are only read, live or at rest; a fork is a new one that nobody knows before it is whole.
 *
 * Does not know who asks, what a terminal is, or how a run is started.
 */
export {
  type BisectCheck,
  type BisectDetails,
  type Bisected,
  type BisectResult,
  type BisectWish,
  bisect,
  detailsOf as bisectDetails,
  laterFile,
} from './bisect.ts'
export { changesIn } from './bisect-search.ts'
export {
  type ComparedCodon,
  type ComparedConversation,
  type Comparison,
  compare,
  isSame,
  type Totals,
} from './compare.ts'
export type { CodonFacts } from './compare-side.ts'
export { filesAhead } from './files-ahead.ts'
export { type Forked, type ForkResult, fork } from './fork.ts'
export type { ForkWish, HankTakeover } from './fork-wish.ts'
export { type ReadPlace, readPlace } from './read-place.ts'
export { labelOf, nameOf, placeOf, type ThreadVersion } from './thread-versions.ts'
