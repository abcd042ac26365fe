import type { ReportData, ReportEvents } from '@weave/protocol'
import {
  type CheckpointRow,
  openStoppedExecution,
  type Plan,
  readCheckpointRows,
  readCosts,
  readExecutionFile,
  readLock,
  readSettings,
  type StoppedExecution,
  systemClock,
} from '@weave/runtime'
import { shellWord } from '../go-on.ts'
import { version } from '../program.ts'
import { type CheckpointFiles, checkpointsBefore, createCheckpointFiles } from './checkpoint-files.ts'
import { type JournalReading, readJournal } from './read-journal.ts'
import { reportData } from './report-data.ts'

type Layout = Parameters<typeof readCosts>[0]

export interface ReportOptions {
  /** Takes no lock, and so does without the changes in files. */
  readonly isOnlyRead?: boolean
}

export type ReadReport =
  | { readonly ok: true; readonly data: ReportData; readonly events: ReportEvents }
  | { readonly ok: false; readonly message: string }

/** Everything that a report says about an execution, live or at rest. Changes nothing in it. */
export async function readReport(layout: Layout, options: ReportOptions = {}): Promise<ReadReport> {
  try {
    return await readWhole(layout, options)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { ok: false, message: `${layout.dir} cannot be read: ${why}.` }
  }
}

async function readWhole(layout: Layout, { isOnlyRead = false }: ReportOptions): Promise<ReadReport> {
  const { dir } = layout
  const reading = await readJournal(layout)
  const costs = await readCosts(layout)
  if (!costs || !reading.plan)
    return { ok: false, message: `${dir} has not begun: it has no plan yet. Run: weave -e ${shellWord(dir)}` }
  const file = await readExecutionFile(layout.executionFile)
  const known = file.kind === 'read' ? file.file : undefined
  const isLive = (await readLock(layout.lockFile, systemClock)).kind === 'held'
  const versions = await versionsOf(layout, { isLive, isOnlyRead, reading })
  const data = reportData({
    weaveVersion: version,
    now: systemClock.now().getTime(),
    dir,
    isLive,
    isRehearsal: known?.rehearsal === true,
    hankPath: known?.hankPath ?? 'not known',
    dataPath: known?.dataPath ?? undefined,
    // Written by the program when the execution began; the checksum of its line proves that nobody else has touched it.
    plan: reading.plan as unknown as Plan,
    reading,
    costs,
    ...versions,
    settings: await readSettings(layout),
    notes: [...versions.notes, ...damageNotes(reading)],
  })
  return { ok: true, data, events: reading.events }
}

interface Versions {
  readonly checkpoints: readonly (CheckpointFiles & { readonly row: CheckpointRow })[]
  readonly checkpointsLeftOut: number
  readonly notes: readonly string[]
}

interface VersionsWish extends Required<ReportOptions> {
  readonly isLive: boolean
  readonly reading: JournalReading
}

async function versionsOf(layout: Layout, { isLive, isOnlyRead, reading }: VersionsWish): Promise<Versions> {
  if (isLive) return liveVersions(layout)
  if (!isOnlyRead) return storedVersions(layout, reading)
  const notes = ['The changes in files are left out: weave report writes a page with them.']
  return { ...withoutFiles(await readCheckpointRows(layout), 'not looked at'), notes }
}

/** A server works with the checkpoints; they are left alone. */
async function liveVersions(layout: Layout): Promise<Versions> {
  const rows = await readCheckpointRows(layout)
  const note =
    'A run is going on. This report shows what had happened when it was made, without the changes in files.'
  return { ...withoutFiles(rows, 'not looked at'), notes: [note] }
}

async function storedVersions(layout: Layout, reading: JournalReading): Promise<Versions> {
  const opened = await openStoppedExecution({ layout, environment: process.env, clock: systemClock })
  if (!opened.ok) {
    const note = `The changes in files are missing: ${opened.message}`
    return { ...withoutFiles(await readCheckpointRows(layout), 'not looked at'), notes: [note] }
  }
  try {
    return await comparedVersions(opened.execution, reading)
  } finally {
    await opened.execution.close()
  }
}

const mostCheckpoints = 300

async function comparedVersions(execution: StoppedExecution, { state }: JournalReading): Promise<Versions> {
  const rows = await execution.checkpoints()
  const before = checkpointsBefore(rows, state)
  const filesOf = createCheckpointFiles(execution)
  const shown = rows.slice(-mostCheckpoints)
  const checkpoints: (CheckpointFiles & { readonly row: CheckpointRow })[] = []
  for (const row of shown) checkpoints.push({ row, ...(await filesOf(row, before.get(row))) })
  return { checkpoints, checkpointsLeftOut: rows.length - shown.length, notes: [] }
}

function withoutFiles(rows: readonly CheckpointRow[], note: string): Omit<Versions, 'notes'> {
  const shown = rows.slice(-mostCheckpoints)
  return {
    checkpoints: shown.map(row => ({ row, files: [], filesLeftOut: 0, note })),
    checkpointsLeftOut: rows.length - shown.length,
  }
}

function damageNotes({ damage }: JournalReading): readonly string[] {
  const count = (kind: (typeof damage)[number]['kind']) =>
    damage.filter(each => each.kind === kind).reduce((sum, each) => sum + each.count, 0)
  const [damaged, missing, doubled] = [count('damaged'), count('missing'), count('doubled')]
  return [
    ...(damaged > 0 ? [`${damaged} lines of the journal are damaged and left out.`] : []),
    ...(missing > 0 ? [`${missing} lines of the journal are missing.`] : []),
    ...(doubled > 0 ? [`${doubled} lines of the journal are those of a second writer and left out.`] : []),
  ]
}
