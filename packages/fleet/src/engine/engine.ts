import { FleetFault } from '../fault.ts'
import { migrate } from '../sql/migrate.ts'
import { checkedAddress } from './address.ts'
import { type Database, openDatabase } from './database.ts'
import { type EmbeddedOptions, openEmbedded } from './embedded.ts'
import { openQueue, type Queue } from './queue.ts'

export interface EngineOptions extends EmbeddedOptions {
  /** Of a PostgreSQL; absent: the embedded one. */
  readonly url?: string | undefined
  /** Whether this process takes turns, and so sees to those of the dead. */
  readonly works: boolean
  /** Whether an engine on another machine may do without a certificate. */
  readonly isInsecure?: boolean | undefined
}

export interface Engine {
  readonly database: Database
  readonly queue: Queue
  readonly isEmbedded: boolean
  close(): Promise<void>
}

/** Connects to the engine of a fleet, starts it if it is the embedded one, and brings its tables up to date. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { isInsecure = false } = options
  const url = options.url === undefined ? undefined : checkedAddress(options.url, { isInsecure })
  const embedded = url === undefined ? await openEmbedded(options) : undefined
  const database = openDatabase(embedded ?? { url: url ?? '' })
  try {
    await reach(database)
    await migrate(database)
    const queue = await openQueue(database, options)
    return {
      database,
      queue,
      isEmbedded: embedded !== undefined,
      async close() {
        await queue.close()
        await database.close()
        await embedded?.stop()
      },
    }
  } catch (error) {
    await database.close()
    await embedded?.stop()
    throw error
  }
}

/** A socket that accepts may still be starting up. */
async function reach(database: Database, attempts = 100): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await database.query('select 1')
      return
    } catch (error) {
      const isStarting = error instanceof Error && 'code' in error && error.code === '57P03'
      if (isStarting && attempt < attempts) {
        await new Promise(resolve => setTimeout(resolve, 50))
        continue
      }
      // The address may hold a password, so it is not repeated.
      throw new FleetFault('FLEET_UNREACHABLE', {
        message: `The engine of the fleet cannot be reached: ${error instanceof Error ? error.message : String(error)}`,
        cure: 'See to the server, or to WEAVE_FLEET_URL.',
      })
    }
  }
}
