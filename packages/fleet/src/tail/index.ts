/** What happens in an execution right now, for whoever looks on from elsewhere. */

export { createOnlooker } from './onlooker.ts'
export { createShownTails, type ShownTails } from './shown-tails.ts'
export type { TailEvent } from './tail-part.ts'
