import { homedir } from 'node:os'
import type { Fleet } from 'weave-fleet'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { type FleetWishes, fleetWishes } from './settings.ts'

export type FleetPackage = typeof import('weave-fleet')

export interface OpenedFleet extends FleetWishes {
  readonly fleet: Fleet
  /** The package: it is loaded only when somebody asks for it. */
  readonly library: FleetPackage
}

export interface FleetCall {
  readonly args: Arguments
  readonly terminal: Terminal
  /** Whether this process takes turns. */
  readonly works?: boolean
}

/** Opens the fleet for one command. What goes wrong between them is said in words, with an exit code of its own. */
export async function withFleet(
  call: FleetCall,
  work: (opened: OpenedFleet) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { works = false } = call
  return withPackage(call, async ({ library, ...wishes }) => {
    const { environment } = wishes
    const isInsecure = call.args.switches.has('insecure-engine')
    const fleet = await library.openFleet({ home: homedir(), environment, works, isInsecure })
    try {
      return await work({ fleet, library, ...wishes })
    } finally {
      await fleet.close()
    }
  })
}

/** The same without an engine. */
export async function withPackage(
  { args, terminal }: FleetCall,
  work: (loaded: Omit<OpenedFleet, 'fleet'>) => Promise<ExitCode>,
): Promise<ExitCode> {
  const library = await loadFleet()
  if (!library) {
    terminal.error('Fleet commands need a package more: npm i weave-fleet')
    return exitCodes.failed
  }
  const wishes = await fleetWishes(args, terminal)
  if (!wishes) return exitCodes.failed
  try {
    return await work({ library, ...wishes })
  } catch (error) {
    const fault = library.faultOf(error)
    if (!fault) throw error
    terminal.error(`${fault.message} (${fault.code})\n${fault.cure}`)
    return codes[fault.code] ?? exitCodes.failed
  }
}

const codes: Readonly<Record<string, ExitCode>> = {
  FLEET_UNREACHABLE: exitCodes.unreachable,
  FLEET_NO_POSTGRES: exitCodes.unreachable,
  FLEET_STORE: exitCodes.unreachable,
  FLEET_VERSION: exitCodes.refused,
  FLEET_ROOT: exitCodes.refused,
  FLEET_KEY: exitCodes.refused,
  FLEET_ROLE: exitCodes.refused,
  FLEET_SCHEMA: exitCodes.refused,
}

/** Undefined: it is not installed. */
export async function loadFleet(): Promise<FleetPackage | undefined> {
  try {
    return await import('weave-fleet')
  } catch (error) {
    const isMissing =
      error instanceof Error && 'code' in error && String(error.code).endsWith('MODULE_NOT_FOUND')
    if (isMissing) return undefined
    throw error
  }
}
