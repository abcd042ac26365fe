import type { ProcessRow } from './process-table.ts'

/** One process for good, also after its end. */
export interface ProcessName {
  readonly pid: number
  /** See `processStartTime`. Absent: it had already ended when it was named, so whoever lives under the id is another. */
  readonly startTime?: string
}

/**
 * Those of `rows` that are `roots` or came from them: children, their children, and every member of a process group or a
 * session that one of these began. A root that has ended counts as long as its group or session has members, since the
 * system does not give its id to another until then. Never this process, and nothing that only came from it.
 */
export function treeOf(rows: readonly ProcessRow[], roots: readonly ProcessName[]): readonly ProcessRow[] {
  const living = new Map(rows.map(row => [row.pid, row]))
  const isRoot = ({ pid, startTime }: ProcessName) => {
    const row = living.get(pid)
    return pid > 1 && (row === undefined || row.startTime === startTime)
  }
  const kin = kinOf(rows)
  const reached = new Set(roots.filter(isRoot).map(({ pid }) => pid))
  reached.delete(process.pid)
  for (const pid of reached) {
    for (const relative of kin.get(pid) ?? []) if (relative !== process.pid) reached.add(relative)
  }
  return rows.filter(({ pid }) => reached.has(pid))
}

/** Under each id the processes that name it as their parent, group or session. */
function kinOf(rows: readonly ProcessRow[]): ReadonlyMap<number, readonly number[]> {
  const kin = new Map<number, number[]>()
  for (const { pid, parent, group, session } of rows) {
    for (const id of new Set([parent, group, session])) {
      const known = kin.get(id)
      if (known) known.push(pid)
      else kin.set(id, [pid])
    }
  }
  return kin
}
