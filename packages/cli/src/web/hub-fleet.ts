import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { BatchWish, ShownFleet } from '@weave/runtime'
import type { BatchPage, FleetPage } from 'weave-client'
import type { Lookout } from 'weave-fleet'
import type { FleetWishes } from '../fleet/settings.ts'
import { type FleetPackage, loadFleet } from '../fleet/with-fleet.ts'

export interface HubFleetOptions {
  /** Undefined: `weave.json` cannot be read, which was said. */
  readonly wishes: FleetWishes | undefined
  readonly isInsecure: boolean
  /** Whether an execution of this name is among those of the hub. */
  readonly isHere: (name: string) => boolean
}

export interface HubFleet extends ShownFleet {
  close(): Promise<void>
}

type Absent = Extract<FleetPage, { readonly state: 'resting' | 'away' }>

/** The fleet of who started the hub. Only looks: a page starts no engine, changes no table, and holds nothing while nobody asks. */
export function hubFleet({ wishes, isInsecure, isHere }: HubFleetOptions): HubFleet {
  const home = homedir()
  const url = wishes?.environment['WEAVE_FLEET_URL']
  const hasEngine = (): boolean => existsSync(join(home, '.weave', 'fleet'))
  let lookout: Lookout | undefined
  const underWay = new Map<string, Promise<object | undefined>>()

  /** Tabs that ask the same at the same time get one answer. */
  const shared = <T extends object>(
    key: string,
    read: () => Promise<T | undefined>,
  ): Promise<T | undefined> => {
    const going = underWay.get(key) as Promise<T | undefined> | undefined
    if (going) return going
    const reading = read().finally(() => underWay.delete(key))
    underWay.set(key, reading)
    return reading
  }
  const looked = async <T>(
    work: (library: FleetPackage, lookout: Lookout) => Promise<T | undefined>,
  ): Promise<T | Absent | undefined> => {
    if (url === undefined && !hasEngine()) return { state: 'resting', isNew: true }
    const library = await loadFleet()
    if (!library) return missing
    try {
      lookout ??= library.openLookout({ home, url, isInsecure })
      return (await work(library, lookout)) ?? { state: 'resting', isNew: false }
    } catch (error) {
      const fault = library.faultOf(error)
      if (fault?.code === 'FLEET_UNKNOWN') return undefined
      return fault ? { state: 'away', message: fault.message, cure: fault.cure } : odd(error)
    }
  }
  return {
    isThere: () => url !== undefined || (wishes?.isSet ?? false) || hasEngine(),
    async read() {
      const answer = await shared<FleetPage>('', () =>
        looked((library, at) =>
          at.look(async tables => ({ state: 'up' as const, ...(await library.fleetPicture(tables)) })),
        ),
      )
      return answer ?? { state: 'resting', isNew: false }
    },
    readBatch: wish =>
      shared<BatchPage>(JSON.stringify(wish), () =>
        looked((library, at) => at.look(tables => batchPage(library, { tables, wish, isHere }))),
      ),
    close: async () => lookout?.close(),
  }
}

type Tables = Parameters<FleetPackage['batchPicture']>[0]

async function batchPage(
  library: FleetPackage,
  {
    tables,
    wish,
    isHere,
  }: Pick<HubFleetOptions, 'isHere'> & { readonly tables: Tables; readonly wish: BatchWish },
): Promise<BatchPage> {
  const { batch, state, after, limit } = wish
  const picture = await library.batchPicture(tables, { batch, state, after, most: limit })
  const executions = picture.executions.map(each => ({ ...each, isHere: isHere(each.id) }))
  return { state: 'up', ...picture, executions }
}

const missing: Absent = {
  state: 'away',
  message: 'The pages of a fleet need a package more.',
  cure: 'npm i weave-fleet, where weave-runtime is installed; then start the hub again.',
}

function odd(error: unknown): Absent {
  const message = error instanceof Error ? error.message : String(error)
  return {
    state: 'away',
    message: `The fleet cannot be read: ${message}`,
    cure: 'weave fleet doctor looks closer.',
  }
}
