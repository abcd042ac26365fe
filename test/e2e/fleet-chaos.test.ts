import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { executionLayout, hashTree, readEvents } from '@weave/runtime'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { applyParcels } from '../../packages/fleet/src/parcel/index.ts'
import { verifies } from '../conformance/verifies.ts'
import { type FleetHome, fleetHome } from '../support/fleet-home.ts'
import { codon, rig } from '../support/hank-folder.ts'
import { isProof, proofSeed, tally } from '../support/proof.ts'
import type { RunningCommand } from '../support/weave-command.ts'

let at: FleetHome
const longest = isProof ? 3_600_000 : 120_000

beforeAll(async () => {
  at = await fleetHome()
}, 120_000)

afterAll(() => at.close(), 60_000)

/** Writes down that it ran, and when; `b` may be told to wait. */
const noted = (id: string, waits = false): object =>
  rig(
    `SET=$(cat read_only_data_source/name); echo ${id} >> "$HOME/ran-$SET"; echo "${id} $(date +%s%N)" >> "$HOME/when-$SET"${
      waits ? '; while [ ! -e "$HOME/go-$SET" ]; do sleep 0.1; done' : ''
    }`,
  )

const three = [codon('a', noted('a')), codon('b', noted('b', true)), codon('c', noted('c'))]
const release = (name: string): void => writeFileSync(join(at.home, `go-${name}`), '')

interface Row {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly epoch: number
  readonly head: { readonly parts: readonly string[] }
}

async function rowsOf(batch: string): Promise<readonly Row[]> {
  return at.query<Row>(
    'select id, name, state, epoch::int, head from fleet.execution where batch = $1 order by n',
    batch,
  )
}

/** Heads have gapless numbers, epochs never fall, no codon was published twice, and none ran after it was. */
async function expectOrder(batch: string): Promise<void> {
  const heads = await at.query<HeadRow>(
    `select e.name, h.execution, h.seq::int, h.epoch::int, h.codon, (extract(epoch from h.at) * 1e3)::float8 as at
     from fleet.head h join fleet.execution e on e.id = h.execution where e.batch = $1 order by h.execution, h.seq`,
    batch,
  )
  for (const id of new Set(heads.map(({ execution }) => execution))) {
    const own = heads.filter(({ execution }) => execution === id)
    expect(own.map(({ seq }) => seq)).toEqual(own.map((_, index) => index + 1))
    const epochs = own.map(({ epoch }) => epoch)
    expect(epochs).toEqual(epochs.toSorted((left, right) => left - right))
    const done = own.flatMap(({ codon }) => codon ?? [])
    expect(new Set(done).size).toBe(done.length)
    const when = readFileSync(join(at.home, `when-${own[0]?.name}`), 'utf8')
    for (const line of when.trim().split('\n')) {
      const [codonId, nanoseconds] = line.split(' ')
      const published = own.find(head => head.codon === codonId)
      expect(Number(nanoseconds) / 1e6, `${own[0]?.name}: ${when}`).toBeLessThan(
        published?.at ?? Number.POSITIVE_INFINITY,
      )
    }
  }
}

interface HeadRow {
  readonly name: string
  readonly execution: string
  readonly seq: number
  readonly epoch: number
  readonly codon: string | null
  readonly at: number
}

/** The files of an execution as its last head has them, and that its journal has no gap. */
async function treeOf({ id, head }: Row): Promise<string> {
  const dir = mkdtempSync(join(at.home, 'unpacked-'))
  const parcels = await Promise.all(head.parts.map(sha => at.store().get(sha)))
  await applyParcels(dir, { executionId: id, parcels })
  const seqs: number[] = []
  const completed: string[] = []
  const onDamage = (damage: unknown): never => expect.unreachable(JSON.stringify(damage))
  for await (const { event } of readEvents(executionLayout(dir), { readOnly: true }, onDamage)) {
    seqs.push(event.seq)
    if (event.type === 'codon.completed') completed.push(event.data.codonId)
  }
  expect(seqs).toEqual(seqs.map((_, index) => index + 1))
  expect(new Set(completed)).toEqual(new Set('abcdef'))
  const tree = await hashTree(join(dir, 'agentRoot'), { skip: path => path === 'read_only_data_source' })
  rmSync(dir, { recursive: true, force: true })
  return tree.ok ? tree.hash : tree.message
}

describe('a fleet in trouble', () => {
  verifies(
    ['fleet/salvage'],
    'does not pay again for a codon that had ended but was not published, when the same machine comes back',
    async () => {
      const hank = at.place(three, ['sage'], { poll: 0.2 })
      const batch = await at.submitted(hank)
      const first = at.worker(hank, ['--slots', '1'])
      await vi.waitFor(() => expect(at.ran('sage')).toBe('ab'), { timeout: 60_000 })
      const store = join(at.home, '.weave/fleet/store')
      // A store that takes nothing more.
      renameSync(store, `${store}-away`)
      writeFileSync(store, '')
      release('sage')
      await first.until('trying again')
      await first.kill('SIGKILL')
      rmSync(store)
      renameSync(`${store}-away`, store)
      const second = at.worker(hank, ['--slots', '1', '--until-idle'])
      expect(await second.ended, second.said()).toBe(0)
      expect(await rowsOf(batch)).toMatchObject([{ state: 'succeeded', epoch: 2 }])
      expect(at.ran('sage')).toBe('abc')
      await expectOrder(batch)
      tally('codons salvaged', 1)
    },
    longest,
  )

  verifies(
    ['fleet/clocks'],
    'takes nothing over from a worker whose clock is off by ten minutes, and jumps',
    async () => {
      const hank = at.place(three, ['thyme', 'ulmo'], { poll: 0.2 })
      const batch = await at.submitted(hank)
      const shim = fileURLToPath(new URL('../support/shifted-clock.mjs', import.meta.url))
      const shifted = (ms: number): RunningCommand =>
        at.worker(hank, ['--slots', '1', '--until-idle'], {
          NODE_OPTIONS: `--import ${shim}`,
          WEAVE_TEST_SHIFT_MS: String(ms),
        })
      const workers = [shifted(600_000), shifted(-600_000)]
      await vi.waitFor(() => expect([at.ran('thyme'), at.ran('ulmo')]).toEqual(['ab', 'ab']), 60_000)
      const skews = await at.query<{ skew: number }>('select abs(skew_ms)::int as skew from fleet.worker')
      const off = skews.filter(({ skew }) => Math.abs(skew - 600_000) < 60_000)
      expect(off).toHaveLength(2)
      const lease = 10_000
      // Meanwhile both are only heard of; in a proof for longer than the lease.
      await delay((isProof ? 1.3 : 0.3) * lease)
      release('thyme')
      release('ulmo')
      for (const each of workers) expect(await each.ended, each.said()).toBe(0)
      expect(await rowsOf(batch)).toMatchObject([
        { state: 'succeeded', epoch: 1 },
        { state: 'succeeded', epoch: 1 },
      ])
      await expectOrder(batch)
      tally('workers with a wrong clock', workers.length)
    },
    longest,
  )

  verifies(
    ['leash/engine-away', 'fleet/not-again'],
    'loses and doubles nothing, however long the engine is away',
    async () => {
      // As shares of a lease of ten seconds; the second and third are longer than agents may go on.
      for (const [index, share] of (isProof ? [0.2, 0.9, 1.5] : [0.2]).entries()) {
        const name = `vine${index}`
        const hank = at.place(three, [name], { poll: 0.2 })
        const batch = await at.submitted(hank)
        const only = at.worker(hank, ['--slots', '1', '--until-idle'])
        await vi.waitFor(() => expect(at.ran(name)).toBe('ab'), { timeout: 60_000 })
        await at.killEngine()
        await delay(share * 10_000)
        await at.reopenEngine()
        release(name)
        expect(await only.ended, only.said()).toBe(0)
        const [row] = await rowsOf(batch)
        expect(row?.state).toBe('succeeded')
        if (share < 0.7) expect([at.ran(name), row?.epoch]).toEqual(['abc', 1])
        await expectOrder(batch)
        tally('engines killed and back', 1)
      }
    },
    longest,
  )

  verifies(
    ['fleet/chaos', 'fleet/one-writer', 'fleet/not-again'],
    'ends every execution as an undisturbed one, under random kills, stops, engine restarts and store errors',
    async () => {
      const wanted = isProof ? Number(process.env['WEAVE_PROOF_FAULTS'] ?? 1_000) : 6
      const count = isProof ? Number(process.env['WEAVE_PROOF_EXECUTIONS'] ?? 300) : 4
      const codons = ['a', 'b', 'c', 'd', 'e', 'f'].map(id => codon(id, noted(id)))
      const setting = { poll: 0.2, maxBarren: 100 }
      const calm = at.place(codons, ['calm'], setting)
      const [model] = await endsOf(await at.submitted(calm), at.worker(calm, ['--until-idle']))
      const expected = await treeOf(model as Row)
      const hank = at.place(
        codons,
        Array.from({ length: count }, (_, n) => `w${n}`),
        setting,
      )
      const batch = await at.submitted(hank)
      const faults = await disturb({
        wanted,
        batch,
        start: () => at.worker(hank, ['--slots', isProof ? '4' : '2']),
      })
      const rows = await endsOf(batch, at.worker(hank, ['--until-idle', '--slots', '4']))
      expect(rows.map(({ state }) => state)).toEqual(rows.map(() => 'succeeded'))
      await expectOrder(batch)
      for (const row of rows) expect(await treeOf(row)).toBe(expected)
      tally('executions under faults', rows.length)
      tally('faults survived', faults)
    },
    longest,
  )
})

async function endsOf(batch: string, worker: RunningCommand): Promise<readonly Row[]> {
  expect(await worker.ended, worker.said()).toBe(0)
  return rowsOf(batch)
}

/** The same numbers for the same seed. */
function chances(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

interface Disturbance {
  readonly wanted: number
  readonly batch: string
  readonly start: () => RunningCommand
}

/** So many faults, one after the other, while something of the batch is left to do. Answers how many there were. */
async function disturb({ wanted, batch, start }: Disturbance): Promise<number> {
  const chance = chances(proofSeed ?? 7)
  const workers = [start(), start()]
  let faults = 0
  const isOver = async (): Promise<boolean> => {
    const left = await at.query(
      "select 1 from fleet.execution where batch = $1 and state in ('queued', 'running') limit 1",
      batch,
    )
    return left.length === 0
  }
  while (faults < wanted && !(await isOver())) {
    await delay(100 + 300 * chance())
    await strike({ workers, chance, start })
    faults++
  }
  for (const worker of workers) await worker.kill('SIGKILL')
  return faults
}

interface Scene extends Pick<Disturbance, 'start'> {
  readonly workers: RunningCommand[]
  readonly chance: () => number
}

async function strike({ workers, chance, start }: Scene): Promise<void> {
  const kind = chance()
  const index = Math.floor(chance() * workers.length)
  const worker = workers[index]
  if (kind < 0.55) killTurn(chance)
  else if (kind < 0.7) {
    await worker?.kill('SIGKILL')
    workers[index] = start()
  } else if (kind < 0.85) {
    worker?.child.kill('SIGSTOP')
    await delay(chance() * 3_000)
    worker?.child.kill('SIGCONT')
  } else if (kind < 0.93) {
    await at.killEngine()
    await delay(chance() * 1_000)
    await at.reopenEngine()
  } else await breakStore(chance)
}

/** The process of some turn, with SIGKILL. */
function killTurn(chance: () => number): void {
  const folder = join(at.root, 'x')
  const turns = existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith('.turn')) : []
  const name = turns[Math.floor(chance() * turns.length)]
  if (name === undefined) return
  try {
    const { pid } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { pid: number }
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

async function breakStore(chance: () => number): Promise<void> {
  const store = join(at.home, '.weave/fleet/store')
  renameSync(store, `${store}-away`)
  writeFileSync(store, '')
  await delay(chance() * 1_000)
  rmSync(store)
  renameSync(`${store}-away`, store)
}
