import { at, codonsOf, effectiveModel } from '../codons.ts'
import type { HankFile } from '../schema.ts'
import { type CheckContext, quoted, type Report, shown } from './check.ts'

/** The version is for the author alone; one that is no semantic version still loads. */
export function checkMeta({ meta }: HankFile, { warning }: Report): void {
  if (meta === undefined || isSemanticVersion(meta.version)) return
  warning(
    'meta.version',
    `meta.version ${quoted(meta.version)} is not a semantic version. Write three numbers, such as "1.0.0".`,
  )
}

/** Longer ones are refused by common tools as well, and the pattern need not look at them. */
const longestVersion = 256

/** The pattern that semver.org suggests. */
const pattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/

function isSemanticVersion(version: string): boolean {
  return version.length <= longestVersion && pattern.test(version)
}

/** Every codon has a model from somewhere. Whether the model exists is not asked here. */
export function checkModels(hank: HankFile, { error }: Report, { modelOverride }: CheckContext): void {
  for (const placed of codonsOf(hank)) {
    if (effectiveModel(placed.codon, hank, modelOverride) !== undefined) continue
    error(placed, 'has no model. Give the codon a model, or the whole hank one in overrides.model.')
  }
}

/** `retryConfig` belongs to `onFailure: retry` and to nothing else; its ranges are part of the shape. */
export function checkRetry(hank: HankFile, { error }: Report): void {
  for (const placed of codonsOf(hank)) {
    const { onFailure, retryConfig } = placed.codon
    if (retryConfig === undefined || onFailure === 'retry') continue
    const now = onFailure === undefined ? 'the default, "abort"' : `"${onFailure}"`
    error(
      at(placed, 'retryConfig'),
      `retryConfig needs onFailure "retry", but onFailure is ${now}. Set onFailure to "retry" or remove retryConfig.`,
    )
  }
}

/**
 * Every name in `requirements.env` is in the environment, as it is or with the prefix. Being there is enough, an
 * empty value counts. `WEAVE_<NAME>=unset` takes the variable away, so it satisfies nothing and undoes a plain one.
 */
export function checkRequirements(hank: HankFile, { error }: Report, { environment }: CheckContext): void {
  const asked = new Set<string>()
  for (const [index, name] of (hank.requirements?.env ?? []).entries()) {
    const complaint = asked.has(name) ? undefined : complaintAbout(name, environment)
    asked.add(name)
    if (complaint !== undefined) error(`requirements.env[${index}]`, complaint)
  }
}

type Environment = CheckContext['environment']

function complaintAbout(name: string, environment: Environment): string | undefined {
  const prefixed = lookUp(environment, `WEAVE_${name}`)
  const label = shown(name)
  if (prefixed === 'unset') {
    return `The environment variable ${label} is required, but WEAVE_${label} is "unset", which removes it. Give it a value.`
  }
  if (prefixed !== undefined || lookUp(environment, name) !== undefined) return undefined
  return `The environment variable ${label} is required but not set. Set ${label} or WEAVE_${label}.`
}

/** Own variables only: a plain object also has a `constructor`. */
function lookUp(environment: Environment, name: string): string | undefined {
  return Object.hasOwn(environment, name) ? environment[name] : undefined
}
