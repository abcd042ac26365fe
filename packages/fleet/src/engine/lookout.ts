import { FleetFault } from '../fault.ts'
import { refuseSchema } from '../sql/migrate.ts'
import { checkedAddress } from './address.ts'
import { openDatabase, type Tables } from './database.ts'
import { embeddedAddress } from './embedded.ts'

export interface LookoutOptions {
  readonly home: string
  /** Of a PostgreSQL; absent: the embedded one. */
  readonly url?: string | undefined
  /** Whether an engine on another machine may do without a certificate. */
  readonly isInsecure?: boolean | undefined
}

/** An engine for who only looks: it is never started, its tables are never changed, and nothing is held while nobody asks. */
export interface Lookout {
  /** One picture of the tables. Undefined: it is the engine of this person, and nobody has it up. */
  look<T>(work: (tables: Tables) => Promise<T>): Promise<T | undefined>
  close(): Promise<void>
}

/** Whoever looks does not keep others waiting. */
const longestLookMs = 10_000

export function openLookout({ home, url, isInsecure = false }: LookoutOptions): Lookout {
  const embedded = url === undefined ? embeddedAddress(home) : undefined
  const database = openDatabase(embedded ?? { url: checkedAddress(url ?? '', { isInsecure }) })
  return {
    async look(work) {
      if (embedded && !(await embedded.isUp())) return undefined
      return database
        .transaction(async sql => {
          await sql.query(
            `set transaction isolation level repeatable read, read only; set local statement_timeout = ${longestLookMs}`,
          )
          await refuseSchema(sql)
          return work({ database: sql })
        })
        .catch((error: unknown) => {
          throw isTooSlow(error) ? tooSlow() : error
        })
    },
    close: () => database.close(),
  }
}

/** `query_canceled`: by the limit above. */
function isTooSlow(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '57014'
}

function tooSlow(): FleetFault {
  return new FleetFault('FLEET_UNREACHABLE', {
    message: `The engine of the fleet did not answer within ${longestLookMs / 1_000} seconds.`,
    cure: 'See to the load of the server.',
  })
}
