/**
 * Models: what a name means, what a model costs, where it is reached and with which key.
 *
 * Owns the catalogue with a person's additions, the aliases, the prices, the table of providers with their environment
 * variables and addresses. Reads files and is given the environment; it calls nobody, adds up no money, and does not
 * know whether a key is good. The catalogue is loaded when a registry is made, not before.
 */
export { additionsOf } from './additions.ts'
export { modelsFile } from './additions-schema.ts'
export {
  type AgentDialect,
  type AgentRow,
  type AgentRows,
  type BuiltInAgent,
  type BuiltInAgentName,
  builtInAgents,
  isBuiltInAgent,
} from './agent-rows.ts'
export { type CustomProvider, type Dialect, isLocal, originsOf, reaching } from './custom-provider.ts'
export {
  type Login,
  type LoginFiles,
  loginFor,
  otherLogins,
  piLogins,
  piSecrets,
  signedIn,
} from './logins.ts'
export { costOf, type HarnessName, type Model, type Prices, type ResolvedModel } from './model.ts'
export {
  type Credential,
  credentialFor,
  credentialVariables,
  type Endpoint,
  type Environment,
  endpointFor,
  isKnownProvider,
  type Redirection,
  redirectProviders,
} from './providers.ts'
export { createRegistry, listModels, type ModelRow, type Registry, reachingOwn } from './registry.ts'
export { rerouted } from './rerouted.ts'
export { findModel, type ModelResolution, resolveModel } from './resolve.ts'
export type { ThinkingLevel } from './thinking.ts'
