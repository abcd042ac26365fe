import type { FlagValue } from './flags.ts'
import type { LayerResult } from './read-value.ts'
import { type Environment, runtimePrefix } from './variables.ts'

export interface Given {
  readonly flags: LayerResult
  readonly variables: LayerResult
}

/**
 * Layers 5 and 4: what was said for this one start. Mostly nothing, and then what checks it, which takes long to set up,
 * is not loaded.
 */
export async function readGiven(flags: readonly FlagValue[], environment: Environment): Promise<Given> {
  const someVariables = Object.keys(environment).some(name => name.startsWith(runtimePrefix))
  return {
    flags: flags.length > 0 ? (await import('./flags.ts')).readFlags(flags) : nothing,
    variables: someVariables ? (await import('./environment.ts')).readEnvironment(environment) : nothing,
  }
}

const nothing: LayerResult = { layer: {}, problems: [] }
