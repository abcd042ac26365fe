import type { Database } from '../engine/index.ts'
import type { Shelf, StoredObject } from './shelf.ts'

/** Objects as rows of the engine: what is there when nothing else is. */
export function openTableStore(database: Database): Shelf {
  const isOld = "at < clock_timestamp() - $1 * interval '1 millisecond'"
  return {
    url: 'pg:',
    async write(sha, bytes) {
      await database.query(
        `insert into fleet.object (sha, bytes) values ($1, $2)
         on conflict (sha) do update set at = clock_timestamp()`,
        [sha, bytes],
      )
    },
    async read(sha) {
      const [row] = await database.query<{ bytes: Buffer }>('select bytes from fleet.object where sha = $1', [
        sha,
      ])
      return row?.bytes
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
