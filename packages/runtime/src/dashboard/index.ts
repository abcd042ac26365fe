/**
 * Executions for a browser: who gets in, the page, and everything that can be read of executions over plain HTTP.
 *
 * Owns keys, sessions, headers and the answers of the read API; what is dear is read in a thread of its own. Knows neither the
 * port it is asked on nor the commands that open it, changes nothing, takes no lock, and never shakes hands with a server.
 */
export {
  createDashboard,
  type Dashboard,
  isOfAgent,
  type ShownExecutions,
} from './dashboard.ts'
export { createDesk, type Desk, secret } from './desk.ts'
export type { BatchWish, ShownFleet } from './fleet.ts'
export type { NamedPlace } from './job.ts'
export { comparisonJson, type ReaderTools } from './jobs.ts'
export { createReaders, type ReaderEntry, type Readers } from './readers.ts'
export { type Assets, bareAssets, readAssets } from './shell.ts'
export { runReaderThread } from './thread.ts'
