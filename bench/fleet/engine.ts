import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openFleet } from '../../packages/fleet/src/index.ts'
import { atMost, type Figure, median, seconds } from '../measure.ts'
import { dataFolderOf } from './home.ts'

const rounds = 3
const goalFirst = 6
const goalWarm = 1
const goalMegabytes = 40

/** A8: the engine of one person: how long it takes to be there, what it takes of the machine, and what is left of it. */
export async function engineFigures(): Promise<readonly Figure[]> {
  const measured: Measured[] = []
  for (let round = 0; round < rounds; round++) measured.push(await once())
  const rowOf = (of: keyof Measured, row: Omit<Figure, 'subject' | 'spread'>): Figure => {
    const values = measured.map(each => each[of])
    const spread = `(${values.map(value => Number(value.toPrecision(3))).join(', ')})`
    return { ...row, subject: median(values), spread }
  }
  const none = { unit: '', floor: 1, goal: atMost(0) }
  const ofEngine = (what: string, floor: number, unit: string) => ({
    what: `${what}, against ${floor} ${unit}`,
    floor,
    unit,
    goal: atMost(1),
  })
  return [
    rowOf('first', {
      id: 'A8 first',
      ...ofEngine('the first start of an engine, tables made', goalFirst, 's'),
    }),
    rowOf('warm', { id: 'A8 warm', ...ofEngine('a further start of it', goalWarm, 's') }),
    rowOf('megabytes', {
      id: 'A8 memory',
      ...ofEngine('memory (PSS) of all its processes', goalMegabytes, 'MB'),
    }),
    rowOf('ports', { id: 'A8 ports', what: 'ports that it listens on', ...none }),
    rowOf('left', { id: 'A8 left', what: 'processes of it after its last client', ...none }),
  ]
}

interface Measured {
  readonly first: number
  readonly warm: number
  readonly megabytes: number
  readonly ports: number
  readonly left: number
}

async function once(): Promise<Measured> {
  const home = mkdtempSync(join(tmpdir(), 'weave-bench-'))
  const open = () => openFleet({ home, environment: { PATH: process.env['PATH'] }, works: true })
  const timed = async () => {
    let fleet: Awaited<ReturnType<typeof open>> | undefined
    const took = await seconds(async () => {
      fleet = await open()
    })
    if (!fleet) throw new Error('the fleet is not open')
    return { fleet, took }
  }
  const first = await timed()
  const data = await dataFolderOf(first.fleet)
  await first.fleet.close()
  const warm = await timed()
  const processes = engineProcesses(data)
  const megabytes = processes.reduce((sum, pid) => sum + pssOf(pid), 0) / 1024
  const ports = listeningPorts(processes)
  await warm.fleet.close()
  const left = engineProcesses(data).length
  for (const folder of [home, dirname(data)]) rmSync(folder, { recursive: true, force: true })
  return { first: first.took, warm: warm.took, megabytes, ports, left }
}

/** Who names its data, the shell that watches over it included, and their children. */
function engineProcesses(data: string): readonly number[] {
  const all = readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? [Number(name)] : []))
  const named = all.filter(pid => read(pid, 'cmdline').includes(data))
  const below = (parents: readonly number[]): readonly number[] => {
    const children = all.filter(pid => parents.includes(parentOf(pid)) && !parents.includes(pid))
    return children.length === 0 ? parents : [...parents, ...below(children)]
  }
  return [...new Set(below(named))]
}

function parentOf(pid: number): number {
  return Number(/\) \S (\d+)/.exec(read(pid, 'stat'))?.[1] ?? 0)
}

/** In kB: memory that several share counts for each of them in part. */
function pssOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(read(pid, 'smaps_rollup'))?.[1] ?? 0)
}

function listeningPorts(pids: readonly number[]): number {
  const listening = new Set(
    ['tcp', 'tcp6'].flatMap(kind =>
      readFileSync(`/proc/net/${kind}`, 'utf8')
        .split('\n')
        .map(line => line.trim().split(/\s+/))
        .filter(fields => fields[3] === '0A')
        .map(fields => `socket:[${fields[9]}]`),
    ),
  )
  return pids.flatMap(openFiles).filter(name => listening.has(name)).length
}

function openFiles(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map(fd => readlinkSync(`/proc/${pid}/fd/${fd}`))
  } catch {
    return []
  }
}

/** Empty: it has ended meanwhile. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
