/** PostgreSQL, a person's own or one that is named, and the queue in it. */

export type { Database, Sql } from './database.ts'
export { type Engine, type EngineOptions, openEngine } from './engine.ts'
export type { Job, Queue } from './queue.ts'
