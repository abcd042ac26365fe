import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { type Fleet, openFleet } from 'weave-fleet'
import { type HankFolder, hankFolderIn } from './hank-folder.ts'
import { type RunningCommand, runScripted, scriptedWeave, startCommand } from './weave-command.ts'

/** A person's fleet with an engine of its own, which the test holds; workers are the command with scripted agents. */
export async function fleetHome() {
  const home = mkdtempSync(join(tmpdir(), 'weave-fleet-'))
  const env = { HOME: home, ANTHROPIC_API_KEY: 'a-key-for-nobody' }
  const program = await scriptedWeave()
  const open = (): Promise<Fleet> =>
    openFleet({ home, environment: { PATH: process.env['PATH'] }, works: false })
  let fleet = await open()
  const [row] = await fleet.engine.database.query<{ data_directory: string }>('show data_directory')
  const data = row?.data_directory ?? join(home, 'x')
  let hanks = 0

  return {
    home,
    root: fleet.root,
    query: <Row extends object>(text: string, ...values: readonly unknown[]): Promise<readonly Row[]> =>
      fleet.engine.database.query<Row>(text, values),
    store: () => fleet.store,
    /** A hank with data sets, each of which knows its name. */
    place(codons: readonly object[], sets: readonly string[], setting: object = {}): HankFolder {
      const at = hankFolderIn(join(home, `hank-${++hanks}`), codons)
      writeFileSync(at.path('weave.json'), JSON.stringify({ fleet: setting }))
      for (const name of sets) {
        mkdirSync(at.path('sets', name), { recursive: true })
        writeFileSync(at.path('sets', name, 'name'), name)
      }
      return at
    },
    async submitted({ cwd }: HankFolder): Promise<string> {
      const words = ['submit', '.', '--data-glob', 'sets/*', '--lease', '10', '--skip-self-test', '--json']
      const said = await runScripted(words, { cwd, env })
      expect(said.status, said.stderr).toBe(0)
      return (JSON.parse(said.stdout) as { batch: string }).batch
    },
    worker(
      { cwd }: HankFolder,
      words: readonly string[],
      more: Readonly<Record<string, string>> = {},
    ): RunningCommand {
      return startCommand(program, ['worker', ...words], { cwd, env: { ...env, ...more } })
    },
    /** What codons wrote down of one data set, in one line. */
    ran(name: string): string {
      const file = join(home, `ran-${name}`)
      return existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\n', '') : ''
    },
    /** The engine is killed; nothing answers until it is opened again. */
    async killEngine(): Promise<void> {
      process.kill(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL')
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

export type FleetHome = Awaited<ReturnType<typeof fleetHome>>
