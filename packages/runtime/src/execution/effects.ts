import type { Journal, Origin } from '../journal/index.ts'
import type { Clock, Failure, Redactor, Refused } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import type { Effects, GateEffects, Recorder } from '../runner/index.ts'
import { emptySelection, type WorkspaceWatch, watchWorkspace } from '../tree/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import type { Activities } from './activity.ts'
import { type AgentSetup, createAgentEffects, tightenAgents } from './agent-effects.ts'
import { emittedCheckpoints, openCheckpointEffects } from './checkpoint-effects.ts'
import { createCodonEffects } from './codon-effects.ts'
import { createGateEffects } from './gate-effects.ts'
import { openOutputRecord } from './intents.ts'
import type { Recovering } from './rollback-effects.ts'
import { openSentinelEffects, type SentinelSetup } from './sentinel-effects.ts'

export interface EffectsOptions {
  readonly plan: Plan
  readonly layout: ExecutionLayout
  readonly journal: Journal
  readonly recorder: Recorder
  readonly redactor: Redactor
  readonly clock: Clock
  readonly serverId: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called before everything that is written; throws when the execution is no longer ours to write to. */
  readonly assertHeld: () => void
  /** Told of each process group of a rig; what it returns takes that back. */
  readonly own: (group: number) => () => void
  readonly agents: AgentSetup
  readonly sentinels: SentinelSetup
  readonly files: {
    readonly outputDirectory: string
    readonly overwriteOutput: boolean
    readonly ignoreRigFailures: boolean
  }
  readonly runId: () => string
  readonly activities: Activities
}

/** What the runner needs, and what only the start of an execution needs. */
export interface OpenedEffects {
  readonly ok: true
  readonly effects: Effects
  readonly recovering: Recovering
  readonly gateEffects: GateEffects
  /** Resolves when the hank may begin. Never rejects. */
  startHealthChecks(): Promise<void>
  /** Packs the checkpoints when much has come together. Ends soon after the signal aborts; never rejects. */
  tidy(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** What the runner needs from the rooms around it, put together for one execution. */
export async function openEffects(options: EffectsOptions): Promise<OpenedEffects | Refused<Failure>> {
  const { plan, layout, journal, recorder, redactor, clock, environment, assertHeld, runId } = options
  const warn = (message: string, codon?: string): void => {
    const about = codon === undefined ? {} : { codon }
    journal.append('error', { message, ...about, fatal: false, severity: 'warning' })
  }
  const state = () => recorder.state
  const { activities } = options
  const base = { plan, layout, clock, environment, assertHeld, warn, activities }
  const versions = await openCheckpointEffects({ ...base, state })
  if (!versions.ok) return versions
  const sentinels = openSentinelEffects({ ...base, journal, recorder, redactor, setup: options.sentinels })
  const { isWritten } = sentinels
  const now = versions.scanning.fileTime
  const watch = await startWatch({ layout, journal, clock, now, isWritten, warn })
  const { agents, serverId, own, files } = options
  const outputRecord = openOutputRecord(layout, assertHeld)
  return {
    ok: true,
    effects: {
      agent: createAgentEffects({ ...base, redactor, agents, serverId, runId }),
      codon: createCodonEffects({ ...base, ...files, journal, own, outputRecord, runId }),
      sentinels: sentinels.effects,
      rollback: versions.rollback,
      ...emittedCheckpoints(versions, watch),
    },
    recovering: versions.recovering,
    gateEffects: createGateEffects({ ...versions, layout, assertHeld }),
    startHealthChecks: sentinels.startHealthChecks,
    tidy: versions.tidy,
    async close() {
      await sentinels.close()
      await watch.close()
      await versions.store.close()
      await tightenAgents(layout)
    },
  }
}

interface WatchSetup {
  readonly layout: ExecutionLayout
  readonly journal: Journal
  readonly clock: Clock
  /** The time of the file system of the workspace. */
  readonly now: () => number
  /** Whether a sentinel of the present codon writes this file. */
  readonly isWritten: (path: string) => boolean
  readonly warn: (message: string) => void
}

async function startWatch({
  layout,
  journal,
  clock,
  now,
  isWritten,
  warn,
}: WatchSetup): Promise<WorkspaceWatch> {
  const originOf = (path: string): Origin | undefined => (isWritten(path) ? 'sentinel' : undefined)
  /** The origins of files that came or went since the tree was last emitted. */
  const moved: (Origin | undefined)[] = []
  return watchWorkspace({
    agentRoot: layout.agentRoot,
    selection: emptySelection,
    clock,
    now,
    onChange(update) {
      const origin = originOf(update.path)
      if (update.action !== 'modified') moved.push(origin)
      journal.append('file.updated', update, { origin })
    },
    onTree(tree) {
      // A wider selection makes a new tree, too, without a file that came or went.
      const isOfSentinels = moved.length > 0 && moved.every(origin => origin !== undefined)
      moved.length = 0
      journal.append('filetree.updated', { tree }, { origin: isOfSentinels ? 'sentinel' : undefined })
    },
    onNote: ({ message }) => warn(message),
  })
}
