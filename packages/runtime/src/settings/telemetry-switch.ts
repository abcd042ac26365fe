import type { Sourced } from './layer.ts'
import type { Environment } from './variables.ts'

/** Set by build machines; most of them set `CI` as well, these do not. */
const buildVariables = ['TF_BUILD', 'TEAMCITY_VERSION', 'JENKINS_URL', 'CODEBUILD_BUILD_ID', 'BUILD_NUMBER']

/**
 * Whether the surroundings forbid telemetry, and why. Stronger than every layer: a file that says `enabled: true` cannot
 * undo a person's `DO_NOT_TRACK`. In doubt (`DO_NOT_TRACK=yes`) telemetry is off.
 */
export function telemetrySwitch(environment: Environment): Sourced<false> | undefined {
  if (isOn(environment['DO_NOT_TRACK'])) return { value: false, origin: 'DO_NOT_TRACK' }
  if (isOff(environment['WEAVE_TELEMETRY'])) return { value: false, origin: 'WEAVE_TELEMETRY' }
  if (isOn(environment['CI']) || buildVariables.some(name => isOn(environment[name])))
    return { value: false, origin: 'CI' }
  return undefined
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== '' && !isOff(value)
}

function isOff(value: string | undefined): boolean {
  return value !== undefined && ['0', 'false', 'no', 'off'].includes(value.toLowerCase())
}
