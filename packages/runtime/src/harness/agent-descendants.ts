import {
  type Clock,
  endOwned,
  type Marker,
  processStartTime,
  signalGroup,
  watchProcess,
} from '../kit/index.ts'

export interface DescendantsOptions {
  /** The agent program, leader of its own process group; undefined when it did not start. */
  readonly leader: number | undefined
  /** What its processes carry in their environment. */
  readonly marker: Marker
  /** What the agent left astray there is ended. */
  readonly agentRoot: string
  readonly clock: Clock
  /** Told of each process group of the agent; what it returns is called when nothing is left of the group. */
  readonly own: (group: number) => () => void
}

/** All that an agent started, by every clue that leads to it: group, marker, descent, memory, place. */
export interface Descendants {
  /** To the group of the agent. Never throws. */
  signal(name: NodeJS.Signals): void
  /** Ends everything that is left once the agent has ended. Never rejects. */
  sweep(): Promise<void>
  /** No more looks. */
  close(): void
}

const leftoverGraceMs = 250
const lookEveryMs = 500

export function watchDescendants(options: DescendantsOptions): Descendants {
  const { leader, marker, agentRoot, clock, own } = options
  const since = leader === undefined ? undefined : processStartTime(leader)
  const watch = leader === undefined ? undefined : watchProcess(leader, own)
  const stopLooking = clock.every(lookEveryMs, () => watch?.look())
  return {
    signal(name) {
      watch?.look()
      if (leader !== undefined) signalGroup(leader, name)
    },
    async sweep() {
      watch?.look()
      const premises = since === undefined ? undefined : { directory: agentRoot, since }
      await endOwned({ marker, names: watch?.names() ?? [], premises }, { graceMs: leftoverGraceMs })
    },
    close() {
      stopLooking()
      watch?.close()
    },
  }
}
