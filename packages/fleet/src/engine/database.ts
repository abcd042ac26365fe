import pg from 'pg'

/** Where statements go: the pool, or one transaction. */
export interface Sql {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
}

/** The tables, for who only asks. */
export interface Tables {
  readonly database: Sql
}

export interface Database extends Sql {
  /** All of it or nothing. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export type Address = { readonly url: string } | { readonly socketFolder: string; readonly user: string }

/** Few: a worker has two for all of its slots, and one to spare for the passes of the queue. */
const connections = 3

/** A pool of connections. Its errors between two statements are nobody's: the next statement says what is wrong. */
export function openDatabase(address: Address): Database {
  const where =
    'url' in address
      ? { connectionString: address.url }
      : { host: address.socketFolder, user: address.user, database: 'postgres' }
  const pool = new pg.Pool({
    ...where,
    max: connections,
    connectionTimeoutMillis: 10_000,
    application_name: 'weave-fleet',
  })
  pool.on('error', () => undefined)
  const query = async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    rowsOf(await pool.query<Row>(text, [...values]))
  return {
    query,
    async transaction(work) {
      const client = await pool.connect()
      // One whose connection breaks also says so here; what was under way hears of it anyway.
      const ignore = (): void => undefined
      client.on('error', ignore)
      const sql: Sql = {
        query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
          rowsOf(await client.query<Row>(text, [...values])),
      }
      let broken: Error | undefined
      try {
        await client.query('begin')
        const result = await work(sql)
        await client.query('commit')
        return result
      } catch (error) {
        await client.query('rollback').catch((failure: unknown) => {
          broken = failure instanceof Error ? failure : new Error(String(failure))
        })
        throw error
      } finally {
        client.off('error', ignore)
        client.release(broken)
      }
    },
    close: () => pool.end(),
  }
}

/** Several statements in one text have several results; the last one counts. */
function rowsOf<Row extends object>(
  result: pg.QueryResult<Row> | readonly pg.QueryResult<Row>[],
): readonly Row[] {
  return 'rows' in result ? result.rows : (result.at(-1)?.rows ?? [])
}
