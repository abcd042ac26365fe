import type { Database } from '../engine/index.ts'
import type { Shelf, StoredObject } from './shelf.ts'

/** Objects as rows of the engine: what is there when nothing else is. */
export function openTableStore(database: Database): Shelf {
  const isOld = "at < clock_timestamp() - $1 * interval '1 millisecond'"
  return {
    url: 'pg:',
    variables: [],
    async write(sha, bytes) {
      await database.query('select fleet.object_put($1, $2)', [sha, bytes])
    },
    async read(sha) {
      const [row] = await database.query<{ bytes: Buffer | null }>('select fleet.object_get($1) as bytes', [
        sha,
      ])
      return row?.bytes ?? undefined
    },
    olderThan: milliseconds =>
      database.query<StoredObject>(
        `select sha, length(bytes)::float as bytes from fleet.object where ${isOld}`,
        [milliseconds],
      ),
    async remove(sha, milliseconds) {
      const gone = await database.query(
        `delete from fleet.object where ${isOld} and sha = $2 returning sha`,
        [milliseconds, sha],
      )
      return gone.length > 0
    },
  }
}
