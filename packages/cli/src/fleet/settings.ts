import { userInfo } from 'node:os'
import { dirname, resolve } from 'node:path'
import { type FleetSetting, formatProblem, readRuntimeFile } from '@weave/runtime'
import type { Arguments } from '../parse-arguments.ts'
import type { Terminal } from '../terminal.ts'

/** What holds for a command of the fleet: its flags before variables before `weave.json`. */
export interface FleetWishes {
  readonly setting: FleetSetting
  /** Whether `weave.json` has it. */
  readonly isSet: boolean
  /** With the variables of the fleet as they hold. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Undefined: it was said what is wrong with `weave.json`. Only that of the working directory is read: one beside a hank is its author's. */
export async function fleetWishes(args: Arguments, terminal: Terminal): Promise<FleetWishes | undefined> {
  const named = args.texts['runtime-config']
  const workingDirectory = process.cwd()
  const file = await readRuntimeFile({ workingDirectory, ...(named !== undefined && { named }) })
  const errors = file.problems.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) {
    for (const problem of errors) terminal.error(formatProblem(problem))
    return undefined
  }
  const base = file.path === undefined ? workingDirectory : dirname(file.path)
  const setting = withPaths(file.fleet ?? {}, base)
  const { env } = process
  return {
    setting,
    isSet: file.fleet !== undefined,
    environment: {
      ...env,
      WEAVE_FLEET_URL: args.texts['fleet-url'] ?? env['WEAVE_FLEET_URL'] ?? setting.url,
      WEAVE_FLEET_STORE: args.texts['fleet-store'] ?? env['WEAVE_FLEET_STORE'] ?? setting.store,
      WEAVE_FLEET_KEY_FILE: env['WEAVE_FLEET_KEY_FILE'] ?? setting.key,
      WEAVE_FLEET_POSTGRES: env['WEAVE_FLEET_POSTGRES'] ?? setting.postgres,
    },
  }
}

/** Paths of a file are meant from where the file is. */
function withPaths(setting: FleetSetting, base: string): FleetSetting {
  const { root, postgres, key } = setting
  return {
    ...setting,
    ...(root !== undefined && { root: resolve(base, root) }),
    ...(key !== undefined && { key: resolve(base, key) }),
    ...(postgres !== undefined && { postgres: resolve(base, postgres) }),
  }
}

/** Who gives an order, for the record. */
export function whoAmI(): string {
  return userInfo().username
}
