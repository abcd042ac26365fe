import type { ProcessName } from './process-clues.ts'
import { signalGroup } from './process-sweep.ts'
import { childrenOf, type ProcessStat, readStat } from './process-table.ts'

/**
 * A memory of what a process started, so that those can be found again that have left its group, lost their parent and
 * cleaned their environment. It knows whom a look has met; a look follows everyone met before, also when the leader has
 * ended. Looks are cheap, and find nothing on systems other than Linux.
 */
export interface ProcessWatch {
  /** Never throws. */
  look(): void
  /** The leader, whom the looks have met, and the groups and sessions these were in; for `treeOf`. */
  names(): readonly ProcessName[]
  /** Lets go of every group. */
  close(): void
}

/** Told of a group when it is first met; what it returns is called when the group has no member left, or at `close`. */
export type OwnGroup = (group: number) => () => void

export function watchProcess(leader: number, own: OwnGroup = () => () => undefined): ProcessWatch {
  const met = new Map<number, string>()
  const groups = new Map<number, () => void>([[leader, own(leader)]])
  const leaderStart = readStat(leader)?.startTime
  const ours = readStat(process.pid)
  if (leaderStart !== undefined) met.set(leader, leaderStart)

  function look(): void {
    releaseEmpty()
    // The loop also comes to those that are met while it runs.
    for (const [pid, startTime] of met) {
      const stat = livingStat(pid)
      if (stat?.startTime !== startTime) {
        met.delete(pid)
        continue
      }
      // Each time anew: it may have left its group since the last look.
      for (const group of new Set([stat.group, stat.session])) adopt(group)
      for (const child of childrenOf(pid)) meet(child, pid)
    }
  }

  function meet(pid: number, parent: number): void {
    const stat = met.has(pid) ? undefined : livingStat(pid)
    // Whoever has another parent by now may be a stranger under the same id.
    if (stat?.parent === parent) met.set(pid, stat.startTime)
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
    look,
    names: () => [
      ...[...met].map(([pid, startTime]) => ({ pid, startTime })),
      ...[...groups.keys()].filter(group => !met.has(group)).map(pid => ({ pid })),
    ],
    close() {
      for (const release of groups.values()) release()
      groups.clear()
      met.clear()
    },
  }
}

function livingStat(pid: number): ProcessStat | undefined {
  const stat = readStat(pid)
  return stat?.ended ? undefined : stat
}
