import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { type Fleet, openFleet } from 'weave-fleet'
import { type Files, type HankFolder, hankFolderIn, lightAgents } from './hank-folder.ts'
import { launcher, type RunningCommand, runScripted, scriptedWeave, startCommand } from './weave-command.ts'

/**
 * A fleet whose engine the test alone holds: its commands have the address, so that none of them starts one. Workers are the
 * command with scripted agents.
 */
export async function fleetHome() {
  const home = mkdtempSync(join(tmpdir(), 'weave-fleet-'))
  const program = await scriptedWeave()
  const open = (): Promise<Fleet> =>
    openFleet({ home, environment: { PATH: process.env['PATH'] }, works: false })
  let fleet = await open()
  const shown = async (name: string): Promise<string> => {
    const [row] = await fleet.engine.database.query<{ setting: string }>(
      'select current_setting($1) as setting',
      [name],
    )
    return row?.setting ?? ''
  }
  const data = await shown('data_directory')
  const socket = await shown('unix_socket_directories')
  const env = {
    HOME: home,
    ANTHROPIC_API_KEY: 'a-key-for-nobody',
    WEAVE_FLEET_URL: `postgres://weave@localhost/postgres?host=${socket}`,
  }
  let hanks = 0

  return {
    home,
    root: fleet.root,
    query: <Row extends object>(text: string, ...values: readonly unknown[]): Promise<readonly Row[]> =>
      fleet.engine.database.query<Row>(text, values),
    store: () => fleet.store,
    /** A hank with data sets, each of which knows its name. */
    place(
      codons: readonly object[],
      sets: readonly string[],
      { fleet: setting = {}, ...files }: Placed = {},
    ): HankFolder {
      const at = hankFolderIn(join(home, `hank-${++hanks}`), codons, files)
      writeFileSync(
        at.path('weave.json'),
        JSON.stringify({ ...lightAgents, fleet: { poll: 0.2, ...setting } }),
      )
      for (const name of sets) {
        mkdirSync(at.path('sets', name), { recursive: true })
        writeFileSync(at.path('sets', name, 'name'), name)
      }
      return at
    },
    async submitted({ cwd }: HankFolder, ...more: readonly string[]): Promise<string> {
      const usual = ['submit', '.', '--data-glob', 'sets/*', '--lease', '10', '--skip-self-test', '--json']
      const words = [...usual, ...more]
      const said = await runScripted(words, { cwd, env })
      expect(said.status, said.stderr).toBe(0)
      return (JSON.parse(said.stdout) as { batch: string }).batch
    },
    /** Another command, to its end. */
    command: (...words: readonly string[]) => runScripted(words, { cwd: home, env }),
    /** Another command, started. */
    start: (...words: readonly string[]) => startCommand(program, words, { cwd: home, env }),
    worker(
      { cwd }: HankFolder,
      words: readonly string[],
      more: Readonly<Record<string, string>> = {},
    ): RunningCommand {
      return startCommand(program, ['worker', ...words], { cwd, env: { ...env, ...more } })
    },
    /** A worker that is the built command, here or on a machine that has nothing of this one in its root. */
    realWorker(
      { cwd }: HankFolder,
      words: readonly string[],
      { more = {}, isElsewhere = false }: RealWorker = {},
    ) {
      const through = isElsewhere ? elsewhere(mkdtempSync(join(home, 'machine-')), fleet.root) : []
      return startCommand(launcher, ['worker', ...words], { cwd, env: { ...env, ...more }, through })
    },
    /** What codons wrote down of one data set, in one line. */
    ran(name: string): string {
      const file = join(home, `ran-${name}`)
      return existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\n', '') : ''
    },
    /** The engine is killed; nothing answers until it is opened again. */
    async killEngine(): Promise<void> {
      const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
      // A file that is still empty would mean this process and all of its group.
      if (!(pid > 1)) throw new Error('the engine has not written down who it is')
      process.kill(pid, 'SIGKILL')
      await fleet.close().catch(() => undefined)
    },
    async reopenEngine(): Promise<void> {
      fleet = await open()
    },
    async close(): Promise<void> {
      await fleet.close()
      for (const folder of [home, fleet.root, dirname(data)]) rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface RealWorker {
  readonly more?: Readonly<Record<string, string>>
  readonly isElsewhere?: boolean
}

/** Words that let a command see an empty folder in the place of one. */
function elsewhere(empty: string, folder: string): readonly string[] {
  const asRoot = process.getuid?.() === 0 ? '-m' : '-Urm'
  return ['unshare', asRoot, 'sh', '-c', 'mount --bind "$0" "$1" && shift && exec "$@"', empty, folder]
}

/** What `weave.json` says of the fleet, and files beside the hank. */
type Placed = Files & { readonly fleet?: object }

export type FleetHome = Awaited<ReturnType<typeof fleetHome>>
