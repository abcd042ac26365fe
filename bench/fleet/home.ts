import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Fleet, openFleet } from '../../packages/fleet/src/index.ts'

const root = new URL('../..', import.meta.url).pathname
const launcher = join(root, 'packages/cli/bin/weave.cjs')

/** A person with an engine of their own, which the bench holds. */
export interface FleetHome {
  readonly home: string
  readonly fleet: Fleet
  /** The built command, to its end; it finds the engine of the bench. */
  readonly weave: (words: readonly string[], cwd: string) => string
}

/** Nothing of the fleet is left afterwards. */
export async function withFleetHome<T>(work: (at: FleetHome) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'weave-bench-'))
  const fleet = await openFleet({ home, environment: { PATH: process.env['PATH'] }, works: true })
  const engine = dirname(await dataFolderOf(fleet))
  const env = { PATH: process.env['PATH'], HOME: home, ANTHROPIC_API_KEY: 'placeholder-key' }
  try {
    const weave = (words: readonly string[], cwd: string): string => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...words], {
        cwd,
        env,
        encoding: 'utf8',
        maxBuffer: 1e9,
      })
      if (status !== 0) throw new Error(`weave ${words.join(' ')} ended with ${status}: ${stderr}`)
      return stdout
    }
    return await work({ home, fleet, weave })
  } finally {
    await fleet.close()
    for (const folder of [home, fleet.root, engine]) rmSync(folder, { recursive: true, force: true })
  }
}

export async function dataFolderOf({ engine }: Fleet): Promise<string> {
  const [row] = await engine.database.query<{ data_directory: string }>('show data_directory')
  if (!row) throw new Error('the engine does not say where its data is')
  return row.data_directory
}

/** The command, as it is published. */
export function buildCommand(): void {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/bundle.mjs')], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
}
