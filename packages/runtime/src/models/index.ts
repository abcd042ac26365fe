/**
 * Models: what a name means, what a model costs, where it is reached and with which key.
 *
 * Owns the catalogue with a person's additions, the aliases, the prices, the table of providers with their environment
 * variables and addresses. Reads files and is given the environment; it calls nobody, adds up no money, and does not
 * know whether a key is good. The catalogue is loaded when a registry is made, not before.
 */
export { type AdditionsFile, additionsOf } from './additions-files.ts'
export { type Alias, aliases } from './aliases.ts'
export {
  type Credential,
  type CredentialUse,
  credentialFor,
  credentialVariables,
  type Environment,
} from './credentials.ts'
export { type Endpoint, endpointFor } from './endpoints.ts'
export { type ListOptions, listModels, type ModelRow } from './list.ts'
export type { HarnessName, Model, Prices, PriceTier, TokenPrices } from './model.ts'
export { type Cost, costOf } from './pricing.ts'
export { type Redirection, redirectProviders } from './redirect.ts'
export { createRegistry, type Registry, type RegistryResult } from './registry.ts'
export { findModel, type ModelResolution, type ResolvedModel, resolveModel } from './resolve.ts'
