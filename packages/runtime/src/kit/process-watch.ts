import type { ProcessKey } from './process-clues.ts'
import { signalGroup } from './process-sweep.ts'
import { childrenOf, type ProcessStat, readStat } from './process-table.ts'

/** Called when a group is first seen; what it returns, when the group is empty or at `close`. */
export type OwnGroup = (group: number) => () => void

/**
 * Remembers what a process started, to find those again that left its group, lost their parent and cleaned their environment.
 * A scan follows everyone seen before, is cheap, never throws, and finds nothing on systems other than Linux.
 */
export function watchProcess(leader: number, own: OwnGroup = () => () => undefined) {
  const seen = new Map<number, string>()
  const groups = new Map<number, () => void>([[leader, own(leader)]])
  const leaderStart = readStat(leader)?.startTime
  const ours = readStat(process.pid)
  if (leaderStart !== undefined) seen.set(leader, leaderStart)

  function scan(): void {
    releaseEmpty()
    // The loop also comes to those that are added while it runs.
    for (const [pid, startTime] of seen) {
      const stat = livingStat(pid)
      if (stat?.startTime !== startTime) {
        seen.delete(pid)
        continue
      }
      // Each time anew: it may have left its group since the last scan.
      for (const group of new Set([stat.group, stat.session])) adopt(group)
      for (const child of childrenOf(pid)) add(child, pid)
    }
  }

  function add(pid: number, parent: number): void {
    const stat = seen.has(pid) ? undefined : livingStat(pid)
    // Whoever has another parent by now may be a stranger under the same id.
    if (stat?.parent === parent) seen.set(pid, stat.startTime)
  }

  /** Our own group and session never: a leader may have been started into them. */
  function adopt(group: number): void {
    if (groups.has(group) || group === ours?.group || group === ours?.session) return
    groups.set(group, own(group))
  }

  function releaseEmpty(): void {
    for (const [group, release] of groups) {
      if (group === leader || signalGroup(group, 0)) continue
      release()
      groups.delete(group)
    }
  }

  return {
    scan,
    /** For `treeOf`. */
    keys: (): readonly ProcessKey[] => [
      ...[...seen].map(([pid, startTime]) => ({ pid, startTime })),
      ...[...groups.keys()].filter(group => !seen.has(group)).map(pid => ({ pid })),
    ],
    close(): void {
      for (const release of groups.values()) release()
      groups.clear()
      seen.clear()
    },
  }
}

function livingStat(pid: number): ProcessStat | undefined {
  const stat = readStat(pid)
  return stat?.ended ? undefined : stat
}
