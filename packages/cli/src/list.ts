import { homedir } from 'node:os'
import { basename, resolve, sep } from 'node:path'
import { type FoundExecution, listExecutions, systemClock } from '@weave/runtime'
import { cut, dollarsText, harmless, months, timeText } from 'weave-client'
import { paintStanding } from './colour.ts'
import { executionBaseOf, shortName } from './named-execution.ts'
import type { Arguments } from './parse-arguments.ts'
import { type ExitCode, exitCodes } from './program.ts'
import { columns, plural, type Terminal } from './terminal.ts'

/** `weave list`: every execution below the base directory, newest first. */
export async function listCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  if (args.positionals.length > 0) {
    terminal.error(
      `weave list takes no words, but found ${args.positionals.join(' ')}. Write: weave list --hank <name>`,
    )
    return exitCodes.usage
  }
  const executionBaseDir = await executionBaseOf(args)
  const { executions, damaged } = await listExecutions({ executionBaseDir, clock: systemClock })
  const ofHank = executions.filter(isOf(args.texts.hank))
  const all = await Promise.all(ofHank.map(rowOf))
  const { status } = args.texts
  const rows = status === undefined ? all : all.filter(row => row.status === status)
  if (args.switches.has('json')) terminal.json(JSON.stringify(rows, null, 2))
  else if (executions.length === 0)
    terminal.out(`No executions in ${executionBaseDir}. "weave" or "weave rehearse" makes one.`)
  else if (rows.length === 0) terminal.out(`None of ${plural(executions.length, 'execution')} is like that.`)
  else {
    const width = process.stdout.isTTY ? process.stdout.columns : undefined
    for (const line of listLines(rows, { width, now: new Date(), home: homedir() }))
      terminal.out(line, paintStanding)
  }
  for (const { dir, problems = [] } of rows)
    for (const problem of problems) terminal.error(`${dir}: ${problem}`)
  for (const { dir, message, cure } of damaged) terminal.error(`${dir}: ${message} ${cure}`)
  return exitCodes.done
}

/** A hank by a part of its name, or by its path. */
function isOf(wanted: string | undefined): (execution: FoundExecution) => boolean {
  if (wanted === undefined) return () => true
  const paths = [resolve(wanted), resolve(wanted, 'hank.json')]
  const part = wanted.toLowerCase()
  return ({ file }) => file.hankName.toLowerCase().includes(part) || paths.includes(file.hankPath)
}

async function rowOf({ layout, file, lock }: FoundExecution) {
  const { executionStatus } = await import('@weave/runtime')
  const { waitingGate } = await import('@weave/runtime')
  const { status, cost, codons, endedAt, problems } = await executionStatus(layout)
  const waits = status === 'completed' ? undefined : await waitingGate(layout)
  return {
    dir: layout.dir,
    hank: file.hankName,
    data: file.dataPath ?? '',
    status: lock.kind === 'held' ? 'running' : status,
    ...(waits !== undefined && { waits }),
    cost,
    codons,
    lastUsed: file.lastUsed,
    ...(endedAt !== undefined && { endedAt }),
    ...(file.rehearsal && { rehearsal: true }),
    ...(lock.kind === 'held' && lock.holder.record?.detached && { detached: true }),
    ...withProblems([...problems, ...(lock.kind === 'unreadable' ? [`${lock.message}. ${lock.cure}.`] : [])]),
  }
}

function withProblems(problems: readonly string[]): { readonly problems?: readonly string[] } {
  return problems.length === 0 ? {} : { problems }
}

export type ListRow = Awaited<ReturnType<typeof rowOf>>

export interface ListLook {
  /** Of the terminal; undefined: as wide as it gets. */
  readonly width: number | undefined
  readonly now: Date
  readonly home: string
}

const longestHank = 18
const gap = 2

/** For people. On a terminal the paths of the data are cut, so that a row is one line. */
export function listLines(rows: readonly ListRow[], { width, now, home }: ListLook): readonly string[] {
  const cells = rows.map(row => [
    width === undefined ? row.hank : cut(harmless(row.hank), longestHank),
    statusText(row),
    plural(row.codons, 'codon'),
    `${row.rehearsal ? 'sim ' : ''}${dollarsText(row.cost)}`,
    row.status === 'running' ? 'now' : whenText(new Date(row.endedAt ?? row.lastUsed), now),
    shortName(basename(row.dir)),
  ])
  const heads = ['HANK', 'STATUS', 'DONE', 'COST', 'ENDED', 'EXECUTION']
  const widths = heads.map((head, at) => Math.max(head.length, ...cells.map(row => row[at]?.length ?? 0)))
  const left = (width ?? Number.POSITIVE_INFINITY) - widths.reduce((sum, each) => sum + each + gap, 0)
  const data = rows.map(row => fitted(shortPath(row.data, home), left))
  return [
    ...columns([[...heads, 'DATA'], ...cells.map((row, at) => [...row, data[at] ?? ''])], ''),
    ...(rows.some(({ rehearsal }) => rehearsal) ? ['', 'sim: a rehearsal; its cost is simulated'] : []),
  ]
}

function statusText({ status, waits, detached }: ListRow): string {
  if (waits !== undefined) return `waits: ${waits}`
  return detached ? `${status} (detached)` : status
}

function shortPath(path: string, home: string): string {
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path
}

/** The end of a path says more than its beginning. */
function fitted(path: string, width: number): string {
  const shown = harmless(path)
  if (shown.length <= width) return shown
  return width < 2 ? '' : `…${shown.slice(shown.length - width + 1)}`
}

const day = 86_400_000
const units = [
  ['d', day],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const

/** The time of today, otherwise the date, where the person is; and how long ago that was. */
export function whenText(then: Date, now: Date): string {
  const isToday = then.toDateString() === now.toDateString()
  const isThisYear = then.getFullYear() === now.getFullYear()
  const text = isToday
    ? timeText(then).slice(0, 5)
    : `${then.getDate()} ${months[then.getMonth()]}${isThisYear ? '' : ` ${then.getFullYear()}`}`
  const age = Math.max(0, now.getTime() - then.getTime())
  const [unit, length] = units.find(([, each]) => age >= each) ?? units[3]
  return `${text} (${Math.floor(age / length)}${unit})`
}
