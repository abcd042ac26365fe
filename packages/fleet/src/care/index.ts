/** Keeping a fleet well: what is wrong with it, and what of it nobody needs any more. */

export { examineFleet, type Finding } from './doctor.ts'
export { collectGarbage, type Garbage } from './garbage.ts'
