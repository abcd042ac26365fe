import { collector, type Problem } from '../../kit/index.ts'
import { codonLabel, codonsOf, effectiveModel } from '../codons.ts'
import type { HankFile } from '../schema.ts'
import { type CheckContext, quoted, shown } from './check.ts'

/** The version is for the author alone; one that is no semantic version still loads. */
export function checkMeta(hank: HankFile): readonly Problem[] {
  const version = hank.meta?.version
  if (version === undefined || isSemanticVersion(version)) return []
  const message = `meta.version ${quoted(version)} is not a semantic version. Write three numbers, such as "1.0.0".`
  return [{ severity: 'warning', where: 'meta.version', message }]
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
export function checkModels(hank: HankFile, context: CheckContext): readonly Problem[] {
  return codonsOf(hank)
    .filter(({ codon }) => effectiveModel(codon, hank, context.modelOverride) === undefined)
    .map(placed => ({
      severity: 'error',
      where: placed.where,
      message: `${codonLabel(placed)}: has no model. Give the codon a model, or the whole hank one in overrides.model.`,
    }))
}

/** `retryConfig` belongs to `onFailure: retry` and to nothing else; its ranges are part of the shape. */
export function checkRetry(hank: HankFile): readonly Problem[] {
  return codonsOf(hank).flatMap(placed => {
    const { onFailure, retryConfig } = placed.codon
    if (retryConfig === undefined || onFailure === 'retry') return []
    const now = onFailure === undefined ? 'the default, "abort"' : `"${onFailure}"`
    return [
      {
        severity: 'error',
        where: `${placed.where}.retryConfig`,
        message: `${codonLabel(placed)}: retryConfig needs onFailure "retry", but onFailure is ${now}. Set onFailure to "retry" or remove retryConfig.`,
      },
    ]
  })
}

/**
 * Every name in `requirements.env` is in the environment, as it is or with the prefix. Being there is enough, an
 * empty value counts. `WEAVE_<NAME>=unset` takes the variable away, so it satisfies nothing and undoes a plain one.
 */
export function checkRequirements(hank: HankFile, { environment }: CheckContext): readonly Problem[] {
  const problems = collector()
  const asked = new Set<string>()
  for (const [at, name] of (hank.requirements?.env ?? []).entries()) {
    if (asked.has(name)) continue
    asked.add(name)
    const complaint = complaintAbout(name, environment)
    if (complaint !== undefined) problems.error(`requirements.env[${at}]`, complaint)
  }
  return problems.all()
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
