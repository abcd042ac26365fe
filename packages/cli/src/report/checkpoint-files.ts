import type { ReportCheckpoint, ReportFile, RunState, WeaveState } from '@weave/protocol'
import type { CheckpointRow, StoppedExecution } from '@weave/runtime'
import { cut } from 'weave-client'

export type CheckpointFiles = Pick<ReportCheckpoint, 'files' | 'filesLeftOut' | 'note'>

const mostFiles = 200
const longestDiff = 40_000
/** Of all diffs of a report. */
const mostCharacters = 10 << 20

type Compared = Awaited<ReturnType<StoppedExecution['diff']>>

/** The changes in each checkpoint against the one before it. Bounded: a diff that is too large is mentioned, not shown. */
export function createCheckpointFiles(execution: Pick<StoppedExecution, 'diff'>) {
  let room = mostCharacters

  const withDiffs = (compared: Extract<Compared, { ok: true }>): readonly ReportFile[] => {
    const { files, text } = compared
    const diffs = splitDiff(text?.bytes.toString('utf8') ?? '')
    let at = 0
    return files.slice(0, mostFiles).map(({ path, status, additions, deletions, isBinary }) => {
      const parts = status === 'type-changed' ? 2 : 1
      const own = diffs.slice(at, at + parts).join('\n')
      at += parts
      const counts = additions === undefined ? {} : { additions, deletions: deletions ?? 0 }
      const shown = shownDiff(own, { isBinary: isBinary === true, isCut: text?.isCut === true, room })
      room -= shown.diff?.length ?? 0
      return { path, status, ...counts, ...shown }
    })
  }
  return async (row: CheckpointRow, before: string | undefined): Promise<CheckpointFiles> => {
    if (row.files === 0 || (before === undefined && row.type === 'start')) return nothing
    if (before === undefined) return { ...nothing, note: 'the checkpoint before it is not known' }
    const compared = await execution.diff({ from: before, to: row.sha, lines: true, text: room > 0 })
    if (!compared.ok) return { ...nothing, note: compared.message }
    return { files: withDiffs(compared), filesLeftOut: Math.max(0, compared.files.length - mostFiles) }
  }
}

const nothing: CheckpointFiles = { files: [], filesLeftOut: 0 }

interface DiffPlace {
  readonly isBinary: boolean
  readonly isCut: boolean
  readonly room: number
}

function shownDiff(diff: string, { isBinary, isCut, room }: DiffPlace): Pick<ReportFile, 'diff' | 'note'> {
  if (isBinary) return { note: 'No text.' }
  if (room <= 0) return { note: 'Not shown: this report holds as much text as it may. Use weave diff.' }
  if (diff === '') return { note: isCut ? 'Too large to be shown.' : 'No line is different.' }
  if (diff.length <= longestDiff) return { diff }
  return { diff: cut(diff, longestDiff), note: 'The beginning only; weave diff shows all of it.' }
}

/**
 * For each checkpoint the one that came before it: in its run, or where the run began. A safety checkpoint stands beside
 * the row of its run.
 */
export function checkpointsBefore(
  rows: readonly CheckpointRow[],
  { runs }: WeaveState,
): ReadonlyMap<CheckpointRow, string> {
  const byId = new Map(runs.map(run => [run.runId, run]))
  const newest = new Map<string, string>()
  const before = new Map<CheckpointRow, string>()
  let last: string | undefined
  for (const row of rows) {
    const previous = newest.get(row.runId) ?? startOf(byId.get(row.runId)) ?? last
    if (previous !== undefined && row.type !== 'start') before.set(row, previous)
    if (row.type === 'safety') continue
    newest.set(row.runId, row.sha)
    last = row.sha
  }
  return before
}

function startOf(run: RunState | undefined): string | undefined {
  return run?.startedFrom.type === 'continuation' ? run.startedFrom.checkpoint : undefined
}

/**
 * The parts of a unified diff of several files, in their order, each without its head: from the first `@@`, or what git
 * says instead. A line of a file never begins with `diff --git`: it has a sign before it.
 */
export function splitDiff(text: string): readonly string[] {
  const lines = text.split('\n')
  const starts = lines.flatMap((line, at) => (line.startsWith('diff --git ') ? [at] : []))
  return starts.map((start, index) => body(lines.slice(start, starts[index + 1])))
}

function body(lines: readonly string[]): string {
  const first = lines.findIndex(line => line.startsWith('@@'))
  return first === -1 ? '' : lines.slice(first).join('\n').replace(/\n$/, '')
}
