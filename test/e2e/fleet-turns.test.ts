import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { type Fleet, openFleet } from 'weave-fleet'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolderIn, rig } from '../support/hank-folder.ts'
import { hookMs } from '../support/proof.ts'
import { type RunningCommand, runScripted, scriptedWeave, startCommand } from '../support/weave-command.ts'

/** All tests share one engine, held by the test. */
const home = mkdtempSync(join(tmpdir(), 'weave-fleet-'))
const env = { HOME: home, ANTHROPIC_API_KEY: 'a-key-for-nobody' }
let fleet: Fleet
let program = ''
const wish = ['--lease', '10', '--skip-self-test', '--json']
const longest = hookMs(120_000)

beforeAll(async () => {
  program = await scriptedWeave()
  fleet = await openFleet({ home, environment: { PATH: process.env['PATH'] }, works: false })
}, longest)

afterAll(async () => {
  const [row] = await fleet.engine.database.query<{ data_directory: string }>('show data_directory')
  await fleet.close()
  for (const folder of [home, fleet.root, dirname(row?.data_directory ?? join(home, 'x'))])
    rmSync(folder, { recursive: true, force: true })
}, hookMs(60_000))

/** Each codon writes down that it ran; one that is to wait does so until it may go on. */
const noted = (id: string, waits = false): object =>
  rig(
    `echo ${id} >> "$HOME/ran-$(basename "$PWD")-$RUN"; ${waits ? 'while [ ! -e "$HOME/go-$RUN" ]; do sleep 0.1; done' : ''}`,
  )

let folders = 0

function place(codons: readonly object[]): HankFolder & { readonly run: string } {
  const run = `r${++folders}`
  const at = hankFolderIn(
    join(home, run),
    codons.map(each => ({ ...each, env: { RUN: run } })),
  )
  return { ...at, run }
}

async function weave({ cwd }: HankFolder, ...words: readonly string[]) {
  return runScripted(words, { cwd, env })
}

async function submitted(at: HankFolder, ...words: readonly string[]): Promise<string> {
  const said = await weave(at, 'submit', '.', ...wish, ...words)
  expect(said.status, said.stderr).toBe(0)
  return (JSON.parse(said.stdout) as { batch: string }).batch
}

function worker({ cwd }: HankFolder, ...words: readonly string[]): RunningCommand {
  return startCommand(program, ['worker', ...(words.includes('--slots') ? [] : ['--slots', '1']), ...words], {
    cwd,
    env,
  })
}

const ran = (run: string): string => {
  const file = join(home, `ran-agentRoot-${run}`)
  return existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\n', '') : ''
}

async function rows(batch: string) {
  return fleet.engine.database.query<{ state: string; reason: string | null; epoch: number }>(
    'select state, reason, epoch::int from fleet.execution where batch = $1 order by n',
    [batch],
  )
}

async function eventsOf(at: HankFolder, execution: string, type: string) {
  const dir = at.path(`pulled-${type}-${execution}`)
  expect((await weave(at, 'fleet', 'pull', execution, dir)).status).toBe(0)
  const said = await weave(at, 'journal', dir, '--json')
  const events = said.stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as StoredEvent)
  return events.filter(event => event.type === type).map(({ data }) => data)
}

interface StoredEvent {
  readonly type: string
  readonly data: unknown
}

describe('a turn', () => {
  verifies(
    ['fleet/decide', 'fleet/once'],
    'ends at a gate, and the next one goes on with what a person decided; a worker may take one turn and end',
    async () => {
      const at = place([codon('a', noted('a')), codon('b', noted('b'))])
      at.write({ 'weave.json': JSON.stringify({ gates: [{ id: 'look', before: 'b' }] }) })
      const batch = await submitted(at)
      const id = `${batch}.1`
      const once = worker(at, '--once')
      expect(await once.ended, once.said()).toBe(0)
      expect(await rows(batch)).toMatchObject([{ state: 'waiting', reason: 'person: gate look' }])
      expect(ran(at.run)).toBe('a')
      expect((await weave(at, 'fleet', 'watch', batch)).status).toBe(3)
      expect((await weave(at, 'fleet', 'decide', id)).status).toBe(2)
      const other = await weave(at, 'fleet', 'decide', id, '--approve', '--gate', 'other')
      expect(other).toMatchObject({ status: 1, stderr: expect.stringContaining('waits at gate look') })
      const said = await weave(at, 'fleet', 'decide', id, '--approve', '-m', 'Go on.')
      expect(said).toMatchObject({ status: 0, stderr: `gate look approve; ${id} is queued.\n` })
      expect((await weave(at, 'fleet', 'decide', id, '--approve')).status).toBe(1)
      const next = worker(at, '--until-idle')
      expect(await next.ended, next.said()).toBe(0)
      expect(await rows(batch)).toMatchObject([{ state: 'succeeded', epoch: 2 }])
      expect(ran(at.run)).toBe('ab')
      expect(await eventsOf(at, id, 'gate.decided')).toMatchObject([
        { gateId: 'look', decision: 'approved', note: 'Go on.' },
      ])
      const nothing = worker(at, '--once')
      expect(await nothing.ended, nothing.said()).toBe(0)
    },
    longest,
  )

  verifies(
    ['fleet/data-by-path'],
    'works on data that stays where it is, once that is what was submitted',
    async () => {
      const at = place([codon('a', rig('cat read_only_data_source/fact > fact.md'))])
      mkdirSync(at.path('set'))
      writeFileSync(at.path('set/fact'), 'as it was')
      const objects = async () => (await fleet.store.olderThan(-1)).length
      const first = await submitted(at, '--data', 'set', '--data-by-path')
      const before = await objects()
      const second = await submitted(at, '--data', 'set', '--data-by-path', '--key', 'again')
      expect(await objects()).toBe(before)
      expect(await worker(at, '--once').ended).toBe(0)
      expect(await rows(first)).toMatchObject([{ state: 'succeeded' }])
      writeFileSync(at.path('set/fact'), 'as it is now')
      const spoilt = worker(at, '--until-idle')
      expect(await spoilt.ended, spoilt.said()).toBe(0)
      expect(await rows(second)).toMatchObject([
        { state: 'dead', reason: expect.stringContaining('set is not what was submitted') },
      ])
    },
    longest,
  )

  verifies(
    ['fleet/waiting', 'throttle/running'],
    'whose codon waits for a place at its provider puts that on record, and begins when there is one',
    async () => {
      const at = place([codon('a', noted('a', true))])
      for (const name of ['one', 'two']) mkdirSync(at.path(name))
      const batch = await submitted(at, '--data', 'one', '--data', 'two')
      expect((await weave(at, 'fleet', 'throttle', 'anthropic', '--running', '1')).status).toBe(0)
      const both = worker(at, '--slots', '2', '--until-idle')
      await vi.waitFor(
        async () => {
          expect(ran(at.run)).toBe('a')
          expect((await rows(batch)).map(({ state }) => state)).toEqual(['running', 'running'])
        },
        { timeout: 60_000 },
      )
      writeFileSync(join(home, `go-${at.run}`), '')
      expect(await both.ended, both.said()).toBe(0)
      expect(ran(at.run)).toBe('aa')
      await weave(at, 'fleet', 'throttle', 'anthropic', '--off')
      const waits = [
        await eventsOf(at, `${batch}.1`, 'fleet.waiting'),
        await eventsOf(at, `${batch}.2`, 'fleet.waiting'),
      ]
      expect(waits.flat()).toEqual([{ for: 'provider' }])
    },
    longest,
  )

  verifies(
    ['money/lost-dollars', 'money/admission'],
    'after a death says what may be lost, and counts it against the budget of the hank',
    async () => {
      const at = place([codon('a', noted('a', true)), codon('b', noted('b'))])
      const batch = await submitted(at, '--max-cost', '5', '--max-cost-each', '0.2')
      const id = `${batch}.1`
      const first = worker(at)
      await vi.waitFor(() => expect(ran(at.run)).toBe('a'), { timeout: 60_000 })
      const [held] = await fleet.engine.database.query<{ granted: number }>(
        'select granted::int from fleet.execution where id = $1',
        [id],
      )
      // Before a codon begins there is money for it.
      expect(held?.granted).toBe(250_000)
      await first.kill('SIGKILL')
      writeFileSync(join(home, `go-${at.run}`), '')
      const second = worker(at, '--until-idle')
      expect(await second.ended, second.said()).toBe(0)
      // A quarter of a dollar may be spent, and each may cost a fifth: nothing more is begun.
      expect(ran(at.run)).toBe('a')
      expect((await eventsOf(at, id, 'fleet.turn')).at(-1)).toMatchObject({ epoch: 2, lostDollars: 0.25 })
    },
    longest,
  )
})
