import { join, resolve } from 'node:path'
import { fileNameOf } from '../files/index.ts'
import { dataSourceName } from '../tree/index.ts'

export const internalsName = '.weave'

/**
 * Every path of one execution directory, absolute. Computed, never looked up: nothing here need exist.
 *
 * What belongs to the runtime (`internals`, `rigArchive`) lies beside `agentRoot`, never below it.
 */
export type ExecutionLayout = Readonly<ReturnType<typeof executionLayout>>

export function executionLayout(directory: string) {
  const dir = resolve(directory)
  const agentRoot = join(dir, 'agentRoot')
  const internals = join(dir, internalsName)
  const logs = join(internals, 'logs')
  return {
    dir,
    /** The agent's working directory and the work tree of the checkpoints. */
    agentRoot,
    /** Where the agent finds the data. */
    dataSource: join(agentRoot, dataSourceName),
    rigArchive: join(dir, 'rigArchive'),
    internals,
    lockFile: join(internals, 'lock.json'),
    executionFile: join(internals, 'execution.json'),
    stateFile: join(internals, 'state.json'),
    /** Where an execution comes from that did not begin by itself. */
    originFile: join(internals, 'origin.json'),
    /** How far its spans were sent. */
    tracesFile: join(internals, 'otel.json'),
    /** Who was told what of it. */
    notifiedFile: join(internals, 'notified.json'),
    journal: join(internals, 'journal'),
    /** The git directory of the checkpoints. */
    checkpoints: join(internals, 'checkpoints'),
    sessions: join(internals, 'sessions'),
    /** What the agent SDKs keep: their own session files. */
    agents: join(internals, 'agents'),
    logs,
    serverLog: join(logs, 'server.log'),
    /** What a run without a terminal says. */
    runLog: join(logs, 'run.log'),
    sentinels: join(internals, 'sentinels'),
    archiveManifest: join(internals, 'archive.json'),
  }
}

/** The archive of a codon (by its runtime id) or of a loop (by its id). */
export function archiveDirectory({ rigArchive }: ExecutionLayout, owner: string): string {
  return join(rigArchive, fileNameOf(owner).replaceAll('#', '-'))
}

/** Raw messages of the harness in one codon of one run. */
export function sessionLog({ sessions }: ExecutionLayout, runId: string, runtimeId: string): string {
  return join(sessions, fileNameOf(runId), `${fileNameOf(runtimeId)}.jsonl`)
}

export function sentinelDirectory({ sentinels }: ExecutionLayout, sentinelId: string): string {
  return join(sentinels, fileNameOf(sentinelId))
}
