/**
 * Preflight: what is checked after a hank is read and before the first token is spent. Owns the order of the steps
 * (models, credentials, self-tests with the catalogue), the one free request that each provider is asked, and what its
 * answer means to a person. It is given plain data about who uses which model. Does not know what a hank is, how an
 * agent is run, or whether a sentinel is well: sentinels are looked after when the server starts.
 */
export type { ModelUse } from './model-use.ts'
export { type PreflightResult, preflight } from './preflight.ts'
