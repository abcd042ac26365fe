import type { Database } from '../engine/database.ts'
import type { Shelf } from './shelf.ts'

/** Objects as rows of the engine: what is there when nothing else is. */
export function openTableStore(database: Database): Shelf {
  return {
    url: 'pg:',
    async write(sha, bytes) {
      await database.query('insert into fleet.object (sha, bytes) values ($1, $2) on conflict do nothing', [
        sha,
        bytes,
      ])
    },
    async read(sha) {
      const [row] = await database.query<{ bytes: Buffer }>('select bytes from fleet.object where sha = $1', [
        sha,
      ])
      return row?.bytes
    },
  }
}
