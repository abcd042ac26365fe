import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { currentRun, emptyState, parseTransition, reduce, type WeaveState } from '@weave/protocol'
import { executionLayout, hashTree, readEvents, type TreeEntry } from '@weave/runtime'
import { expect } from 'vitest'
import { applyParcels } from '../../packages/fleet/src/parcel/index.ts'
import type { FleetHome } from './fleet-home.ts'
import { rig } from './hank-folder.ts'

/** The field of a codon that writes down that it ran, and when, by the name of its data set; it may be told to wait. */
export function noted(id: string, { waits = false, after = '' } = {}): object {
  const held = waits ? '; while [ ! -e "$HOME/go-$SET" ]; do sleep 0.1; done' : ''
  return rig(
    `SET=$(cat read_only_data_source/name); echo ${id} >> "$HOME/ran-$SET"; echo "${id} $(date +%s%N)" >> "$HOME/when-$SET"${held}${after}`,
  )
}

export interface ExecutionRow {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly reason: string | null
  readonly epoch: number
  readonly head: { readonly parts: readonly string[] }
}

export async function rowsOf(at: FleetHome, batch: string): Promise<readonly ExecutionRow[]> {
  return at.query<ExecutionRow>(
    `select id, name, state, reason, epoch::int, head from fleet.execution where batch = $1 order by n`,
    batch,
  )
}

interface HeadRow {
  readonly name: string
  readonly execution: string
  readonly seq: number
  readonly epoch: number
  readonly codon: string | null
  readonly at: number
}

/**
 * Heads have gapless numbers, epochs never fall, no codon was published twice or out of order, and none ran after it was. Answers
 * how many runs it saw.
 */
export async function expectOrder(at: FleetHome, batch: string): Promise<number> {
  const heads = await at.query<HeadRow>(
    `select e.name, h.execution, h.seq::int, h.epoch::int, h.codon, (extract(epoch from h.at) * 1e3)::float8 as at
     from fleet.head h join fleet.execution e on e.id = h.execution where e.batch = $1 order by h.execution, h.seq`,
    batch,
  )
  let runs = 0
  for (const id of new Set(heads.map(({ execution }) => execution))) {
    const own = heads.filter(({ execution }) => execution === id)
    expect(own.map(({ seq }) => seq)).toEqual(own.map((_, index) => index + 1))
    const epochs = own.map(({ epoch }) => epoch)
    expect(epochs).toEqual(epochs.toSorted((left, right) => left - right))
    const done = own.flatMap(({ codon }) => codon ?? [])
    expect(done).toEqual([...new Set(done)].toSorted())
    const when = readFileSync(join(at.home, `when-${own[0]?.name}`), 'utf8')
    for (const line of when.trim().split('\n')) {
      const [codonId, nanoseconds] = line.split(' ')
      // One that had ended when its turn died is in the head of the next, or in the last. Codons are named in their order.
      const last = own.at(-1)
      const published = own.find(head => head === last || (head.codon ?? '') >= (codonId ?? ''))
      expect(published, `${own[0]?.name}: ${codonId} ran and was never published`).toBeDefined()
      expect(Number(nanoseconds) / 1e6, `${own[0]?.name}: ${when}`).toBeLessThan(published?.at ?? 0)
      runs++
    }
  }
  return runs
}

export interface Judged {
  /** Its workspace, a line for each file with its size and hash: a difference is to be seen. */
  readonly tree: string
  /** How many states that its turns left were the same as the journal folded up to there. */
  readonly states: number
  /** Codons of which the journal has an answer of a tool, in the run that completed them. */
  readonly answered: ReadonlySet<string>
  /** Codons with an attempt that failed. */
  readonly failed: ReadonlySet<string>
  /** What its journal tells of runs, codons and tools, a line each: for who wonders what became of it. */
  readonly story: string
}

/**
 * The last head of an execution that succeeded: its journal has no gap and completes these codons once each, in their order;
 * folded, it refuses nothing, ends with a completed run, and is what its turns left as their state in the folder `states`.
 */
export async function judged(
  at: FleetHome,
  { id, head }: ExecutionRow,
  { codons, states }: { readonly codons: readonly string[]; readonly states: string },
): Promise<Judged> {
  const dir = mkdtempSync(join(at.home, 'unpacked-'))
  const parcels = await Promise.all(head.parts.map(sha => at.store().get(sha)))
  await applyParcels(dir, { executionId: id, parcels })
  const kept = keptStates(states, id)
  const seqs: number[] = []
  const completed: string[] = []
  const [answered, failed] = [new Set<string>(), new Set<string>()]
  const story: string[] = []
  let state = emptyState
  let compared = 0
  const onDamage = (damage: unknown): never => expect.unreachable(`${id}: ${JSON.stringify(damage)}`)
  for await (const { event } of readEvents(executionLayout(dir), { readOnly: true }, onDamage)) {
    seqs.push(event.seq)
    if (/^(?:state|codon|tool|run|error|warning)/.test(event.type))
      story.push(`${event.seq} ${event.timestamp} ${event.type} ${JSON.stringify(event.data).slice(0, 160)}`)
    if (event.type === 'codon.completed') {
      if (event.data.success) completed.push(event.data.codonId)
      else {
        failed.add(event.data.codonId)
        // What the attempt did is undone before the next one.
        answered.delete(event.data.codonId)
      }
    }
    if (event.type === 'tool.result' && !event.data.isError) answered.add(event.data.codonId)
    if (event.type === 'state.transition') {
      state = folded(state, event.data.transition)
      // What the run before did after its last checkpoint is undone.
      if (event.data.transition.type === 'RunStarted')
        for (const codonId of answered) if (!completed.includes(codonId)) answered.delete(codonId)
    }
    const left = kept.get(event.id)
    if (!left) continue
    expect(left.lastSeq).toBe(event.seq)
    expect(state, `${id}: the state of epoch ${left.epoch}`).toEqual(left.state)
    compared++
  }
  expect(seqs).toEqual(seqs.map((_, index) => index + 1))
  expect(completed, id).toEqual(codons)
  expect(currentRun(state)?.status, id).toBe('completed')
  const tree = await hashTree(join(dir, 'agentRoot'), { skip: path => path === 'read_only_data_source' })
  rmSync(dir, { recursive: true, force: true })
  return {
    tree: tree.ok ? linesOf(tree.entries) : tree.message,
    states: compared,
    answered,
    failed,
    story: story.join('\n'),
  }
}

function linesOf(entries: readonly TreeEntry[]): string {
  return entries
    .map(({ path, type, executable, bytes, sha256 }) => [path, type, executable, bytes, sha256].join(' '))
    .join('\n')
}

function folded(state: WeaveState, written: Parameters<typeof parseTransition>[0]): WeaveState {
  const transition = parseTransition(written)
  if ('problem' in transition) return expect.unreachable(transition.problem)
  const reduction = reduce(state, transition)
  return reduction.ok ? reduction.state : expect.unreachable(reduction.reason)
}

interface KeptState {
  readonly epoch: number
  readonly lastSeq: number
  readonly lastId: string
  readonly state: WeaveState
}

/** What turns of an execution left, by the last event that each knew of. */
function keptStates(folder: string, id: string): ReadonlyMap<string, KeptState> {
  const names = existsSync(folder) ? readdirSync(folder).filter(name => name.startsWith(`${id}-`)) : []
  return new Map(
    names.map(name => {
      const { body } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { readonly body: KeptState }
      return [body.lastId, { ...body, epoch: Number(name.slice(id.length + 1, -'.json'.length)) }]
    }),
  )
}
