import { join, resolve, sep } from 'node:path'
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
  // A list of a thousand executions makes a thousand of these: to join them would take longer than to read a small file.
  const root = dir.endsWith(sep) ? dir : `${dir}${sep}`
  const agentRoot = `${root}agentRoot`
  const internals = `${root}${internalsName}`
  const own = (name: string): string => `${internals}${sep}${name}`
  const logs = own('logs')
  return {
    dir,
    /** The agent's working directory and the work tree of the checkpoints. */
    agentRoot,
    /** Where the agent finds the data. */
    dataSource: `${agentRoot}${sep}${dataSourceName}`,
    rigArchive: `${root}rigArchive`,
    internals,
    lockFile: own('lock.json'),
    executionFile: own('execution.json'),
    stateFile: own('state.json'),
    /** Where an execution comes from that did not begin by itself. */
    originFile: own('origin.json'),
    /** How far its spans were sent. */
    tracesFile: own('otel.json'),
    /** Who was told what of it. */
    notifiedFile: own('notified.json'),
    journal: own('journal'),
    /** The git directory of the checkpoints. */
    checkpoints: own('checkpoints'),
    sessions: own('sessions'),
    /** What the agent SDKs keep: their own session files. */
    agents: own('agents'),
    logs,
    serverLog: own(`logs${sep}server.log`),
    /** What a run without a terminal says. */
    runLog: own(`logs${sep}run.log`),
    sentinels: own('sentinels'),
    archiveManifest: own('archive.json'),
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
