/** PostgreSQL, a person's own or one that is named, and the queue in it. */

export { type Engine, openEngine } from './engine.ts'
