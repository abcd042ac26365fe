import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { FleetHome } from './fleet-home.ts'
import type { RunningCommand } from './weave-command.ts'

/** What may happen to a fleet, and how often of a hundred. */
const kinds = {
  'turn killed': 28,
  'turn stopped': 10,
  'worker killed': 8,
  'worker stopped': 8,
  'warden killed': 8,
  'warden stopped': 8,
  'agent killed': 11,
  'agent stopped': 8,
  'engine killed': 6,
  'store broken': 5,
} as const

export type FaultKind = keyof typeof kinds

interface Fault {
  readonly kind: FaultKind
  /** How long after it is due. */
  readonly pauseMs: number
  /** Which of those that there are, from 0 to 1. */
  readonly pick: number
  /** How long it lasts; some are longer than a lease of ten seconds. */
  readonly lengthMs: number
}

/** The same faults for the same seed. */
export function plannedFaults(seed: number, count: number): readonly Fault[] {
  const chance = chances(seed)
  return Array.from({ length: count }, () => {
    const kind = kindAt(100 * chance())
    const [pauseMs, pick] = [400 * chance(), chance()]
    const isLong = chance() < 0.15 && (kind === 'worker stopped' || kind === 'turn stopped')
    const most = kind === 'engine killed' || kind === 'store broken' ? 1_000 : 3_000
    return { kind, pauseMs, pick, lengthMs: isLong ? 11_000 + 3_000 * chance() : most * chance() }
  })
}

function kindAt(percent: number): FaultKind {
  let sum = 0
  for (const [kind, share] of Object.entries(kinds)) {
    sum += share
    if (percent < sum) return kind as FaultKind
  }
  return 'turn killed'
}

function chances(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

interface Disturbance {
  readonly faults: readonly Fault[]
  readonly batches: readonly string[]
  /** How many heads there will be at least. */
  readonly codons: number
  readonly workers: number
  readonly start: () => RunningCommand
}

/** Without progress the next fault comes after so long: what goes on after the last one is disturbed, too. */
const longestCalmMs = 3_000
const lookEveryMs = 50

/**
 * The faults one after the other, spread over the work of the batches, until that is done; one counts only when it hit
 * something. Workers that ended are started again. Answers how many of each kind there were.
 */
export async function disturb(at: FleetHome, wish: Disturbance): Promise<ReadonlyMap<FaultKind, number>> {
  const workers = Array.from({ length: wish.workers }, wish.start)
  const ends: Promise<unknown>[] = []
  const hits = new Map<FaultKind, number>()
  /** False: nothing is left to do. */
  const look = async (isEnough: (done: number) => boolean | Promise<boolean>): Promise<boolean> => {
    for (;;) {
      for (const [index, { child }] of workers.entries())
        if (child.exitCode !== null || child.signalCode !== null) workers[index] = wish.start()
      const [row] = await at.query<{ done: number; open: number }>(
        `select coalesce(sum(codons_done), 0)::int as done, (count(*) filter (where state in ('queued', 'running')))::int as open
         from fleet.execution where batch = any ($1)`,
        wish.batches,
      )
      if (!row || row.open === 0) return false
      if (await isEnough(row.done)) return true
      await delay(lookEveryMs)
    }
  }
  for (const [index, fault] of wish.faults.entries()) {
    const since = performance.now()
    const due = (0.8 * wish.codons * index) / wish.faults.length
    let ahead = 0
    const isDue = (done: number): boolean => {
      ahead = done - due
      return ahead >= 0 || performance.now() - since > longestCalmMs
    }
    if (!(await look(isDue))) break
    // Faults that lag behind the work come at once: there would be too few of them when it is done.
    if (ahead < wish.workers) await delay(fault.pauseMs)
    let { kind } = fault
    const strikeNow = async (): Promise<boolean> => {
      if (await strike(at, { fault: { ...fault, kind }, workers, ends })) return true
      // Who has no agents any more has turns.
      if (performance.now() - since > longestCalmMs) kind = 'turn killed'
      return false
    }
    if (!(await look(strikeNow))) break
    hits.set(kind, (hits.get(kind) ?? 0) + 1)
  }
  await look(() => false)
  await Promise.all(ends)
  for (const { child } of workers) child.kill('SIGTERM')
  for (const { ended } of workers) await ended
  return hits
}

interface Strike {
  readonly fault: Fault
  readonly workers: readonly RunningCommand[]
  /** What comes to an end later. */
  readonly ends: Promise<unknown>[]
}

/** False: there is nothing that it could hit now. */
async function strike(at: FleetHome, { fault, workers, ends }: Strike): Promise<boolean> {
  const { kind, pick, lengthMs } = fault
  if (kind === 'engine killed') {
    await at.killEngine()
    await delay(lengthMs)
    await at.reopenEngine()
    return true
  }
  if (kind === 'store broken') {
    await breakStore(at, lengthMs)
    return true
  }
  const [who, deed] = kind.split(' ') as [keyof ReturnType<typeof processesOf>, string]
  const running = processesOf(workers.flatMap(({ child }) => child.pid ?? []))
  // One that dies before it has begun is taken for one that cannot, and not tried again.
  const targets = who === 'agent' ? running.agent.filter(isBusy(running.all)) : running[who]
  const target = targets[Math.floor(pick * targets.length)]
  if (!target) return false
  if (deed === 'killed') return signal(target, 'SIGKILL')
  if (!signal(target, 'SIGSTOP')) return false
  ends.push(delay(lengthMs).then(() => signal(target, 'SIGCONT')))
  return true
}

async function breakStore(at: FleetHome, lengthMs: number): Promise<void> {
  const store = join(at.home, '.weave/fleet/store')
  renameSync(store, `${store}-away`)
  writeFileSync(store, '')
  await delay(lengthMs)
  rmSync(store)
  renameSync(`${store}-away`, store)
}

export interface Found {
  readonly pid: number
  readonly parent: number
  readonly state: string
  readonly startTime: string
  readonly words: string
}

/** What runs for these workers. `warden`: who ends agents after the death of a turn, and who stops them when it is not heard of. */
export function processesOf(workers: readonly number[]) {
  const all = readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? (found(Number(name)) ?? []) : []))
  const below = (parents: ReadonlySet<number>): readonly Found[] => {
    const own = all.filter(({ parent }) => parents.has(parent))
    return own.length === 0 ? [] : [...own, ...below(new Set(own.map(({ pid }) => pid)))]
  }
  const worker = all.filter(({ pid, words }) => workers.includes(pid) && words.includes('\0worker\0'))
  const rest = below(new Set(workers))
  const wordsOf = new Map(all.map(({ pid, words }) => [pid, words]))
  // A child that has not become its program yet, git for instance, looks as its parent does.
  const itself = ({ parent, words }: Found): boolean => wordsOf.get(parent) !== words
  const turn = rest.filter(({ words }) => words.includes('\0fleet-turn\0')).filter(itself)
  const ofTurns = below(new Set(turn.map(({ pid }) => pid))).filter(itself)
  const warden = ofTurns.filter(({ words }) => /\0(?:warden|leash)\0/.test(words))
  const agent = ofTurns.filter(({ words }) => words.includes('scripted-acp-agent'))
  return { worker, turn, warden, agent, all: [...worker, ...rest] }
}

/** Its tool has done its work and sleeps: another attempt goes on with the next step of the script, and would not do it again. */
function isBusy(all: readonly Found[]): (agent: Found) => boolean {
  const sleepers = all.filter(({ words }) => words.startsWith('sleep\0'))
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]))
  return ({ pid }) => sleepers.some(({ parent }) => parent === pid || parents.get(parent) === pid)
}

/** Undefined: it is gone, or waits to be collected. */
export function found(pid: number): Found | undefined {
  try {
    const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?!.*\) )/)
    const fields = rest.split(' ')
    const [state = '', parent] = fields
    if (state === 'Z' || state === 'X') return undefined
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return { pid, parent: Number(parent), state, startTime: fields[19] ?? '', words }
  } catch {
    return undefined
  }
}

/** False: it is not there any more. */
export function signal({ pid, startTime }: Found, name: NodeJS.Signals): boolean {
  if (found(pid)?.startTime !== startTime) return false
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
