import { collector, type Problem } from '../../kit/index.ts'
import type { CheckContext } from '../check.ts'
import type { HankFile } from '../schema.ts'
import { shown } from './labels.ts'

/**
 * Every name in `requirements.env` is in the environment, as it is or with the prefix (specification 2.1). Being there is
 * enough, an empty value counts. `WEAVE_<NAME>=unset` takes the variable away (2.9), so it satisfies nothing and undoes
 * a plain one.
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
