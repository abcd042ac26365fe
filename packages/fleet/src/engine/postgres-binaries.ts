import { existsSync, readdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { FleetFault } from '../fault.ts'

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
}

const oldestMajor = 13

/** The folder with `initdb` and `postgres`: the one that is named, those of the system, then the search path. */
export function findBinaries({ environment }: Surroundings): string {
  const named = environment['WEAVE_FLEET_POSTGRES']
  const candidates = named === undefined ? [...ofSystem(), ...ofSearchPath(environment)] : [named]
  const found = candidates.find(
    folder => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  )
  if (found !== undefined) return found
  throw new FleetFault('FLEET_NO_POSTGRES', {
    message:
      named === undefined
        ? 'There is no PostgreSQL on this machine.'
        : `${named} has no PostgreSQL: initdb and postgres are not in it.`,
    cure: 'Install it (apt install postgresql, brew install postgresql), name its bin folder with WEAVE_FLEET_POSTGRES, or name a server with WEAVE_FLEET_URL.',
  })
}

/** Where Debian puts them; newest first. */
function ofSystem(): readonly string[] {
  const base = '/usr/lib/postgresql'
  if (!existsSync(base)) return []
  return readdirSync(base)
    .map(Number)
    .filter(major => major >= oldestMajor)
    .toSorted((left, right) => right - left)
    .map(major => join(base, String(major), 'bin'))
}

function ofSearchPath(environment: Surroundings['environment']): readonly string[] {
  const folders = (environment['PATH'] ?? '').split(delimiter).filter(Boolean)
  return folders
    .filter(folder => existsSync(join(folder, 'initdb')))
    .map(folder => dirname(join(folder, 'initdb')))
}
