import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Engine, openEngine } from './engine/index.ts'
import { readMeta, settleMeta } from './sql/meta.ts'
import { openStore, readKey, refuseKey, type Store } from './store/index.ts'

export interface FleetOptions {
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly works: boolean
  /** Whether an engine or a bucket on another machine may do without a certificate. */
  readonly isInsecure?: boolean | undefined
}

/** The engine and the store of one fleet, as a command sees them. */
export interface Fleet {
  readonly engine: Engine
  readonly store: Store
  /** Where workers of this fleet work by default. */
  readonly root: string
  close(): Promise<void>
}

/** `WEAVE_FLEET_URL`, `WEAVE_FLEET_STORE`, and `WEAVE_FLEET_KEY` or the file `WEAVE_FLEET_KEY_FILE`, those of AWS for a bucket; without them an engine of this person's own, and a folder beside it. */
export async function openFleet({ home, environment, works, isInsecure }: FleetOptions): Promise<Fleet> {
  const url = environment['WEAVE_FLEET_URL']
  const key = readKey({ text: environment['WEAVE_FLEET_KEY'], file: environment['WEAVE_FLEET_KEY_FILE'] })
  const engine = await openEngine({ home, environment, url, works, isInsecure })
  try {
    const named = environment['WEAVE_FLEET_STORE']
    const folder = join(home, '.weave', 'fleet', 'store')
    // That there is one is also how others learn that this person has a fleet.
    if (engine.isEmbedded) mkdirSync(folder, { recursive: true, mode: 0o700 })
    const usual = engine.isEmbedded ? pathToFileURL(folder).href : 'pg:'
    const storeUrl =
      named ??
      (await readMeta(engine.database, 'store')) ??
      (await settleMeta(engine.database, 'store', usual))
    const fleetId = (await readMeta(engine.database, 'fleet_id')) ?? ''
    const lasting = existsSync('/var/tmp') ? '/var/tmp' : tmpdir()
    const root = (await readMeta(engine.database, 'root')) ?? join(lasting, `weave-${fleetId}`)
    const store = openStore(storeUrl, { database: engine.database, key, environment, isInsecure })
    const settled = await readMeta(engine.database, 'key_check')
    if (settled !== undefined) refuseKey(store.keyCheck, settled)
    return { engine, store, root, close: () => engine.close() }
  } catch (error) {
    await engine.close()
    throw error
  }
}
