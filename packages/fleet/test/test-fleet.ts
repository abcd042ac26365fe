import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Fleet, openFleet } from '../src/index.ts'

/** One fleet for all tests of a file, on an engine of its own that is gone with all its files afterwards. */
export function fleetOfFile(): () => Fleet {
  const home = mkdtempSync(join(tmpdir(), 'weave-fleet-'))
  let fleet: Fleet | undefined
  beforeAll(async () => {
    fleet = await openFleet({ home, environment: { PATH: process.env['PATH'] }, works: true })
  }, 60_000)
  afterAll(async () => {
    const [row] = (await fleet?.engine.database.query<object>('show data_directory')) ?? []
    await fleet?.close()
    for (const folder of [home, ...engineFolders(row)]) rmSync(folder, { recursive: true, force: true })
  }, 60_000)
  return () => {
    if (!fleet) throw new Error('the fleet is not open yet')
    return fleet
  }
}

function engineFolders(row: object | undefined): readonly string[] {
  return Object.values(row ?? {}).map(place => join(String(place), '..'))
}
