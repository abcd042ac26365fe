/** PostgreSQL, a person's own or one that is named, and the queue in it. */

export type { Database, Sql, Tables } from './database.ts'
export { stopEmbedded } from './embedded.ts'
export { type Engine, openEngine } from './engine.ts'
export { faultOf } from './faults.ts'
export { type Lookout, openLookout } from './lookout.ts'
