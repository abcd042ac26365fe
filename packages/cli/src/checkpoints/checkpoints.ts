import {
  type CheckpointRow,
  openStoppedExecution,
  readCheckpointRows,
  readLock,
  systemClock,
} from '@weave/runtime'
import { harmlessLine } from 'weave-client'
import { chooseExecution } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { columns, type Terminal } from '../terminal.ts'

/** `weave checkpoints [execution]`: the versions of the workspace that are kept. */
export async function checkpointsCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const found = await chooseExecution(args, terminal, { word: args.positionals[0] })
  if (!found.ok) return found.code
  const rows = await rowsIn(found.layout)
  if (typeof rows === 'string') {
    terminal.error(rows)
    return exitCodes.failed
  }
  if (args.switches.has('json')) terminal.json(JSON.stringify(rows, null, 2))
  else for (const line of columns([heads, ...rows.map(cells)], '')) terminal.out(line)
  return exitCodes.done
}

type Layout = Parameters<typeof readCheckpointRows>[0]

/** A message when they cannot be read. Where a server is at work nothing is touched, and files are not counted. */
async function rowsIn(layout: Layout): Promise<readonly CheckpointRow[] | string> {
  const lock = await readLock(layout.lockFile, systemClock)
  if (lock.kind === 'held') return readCheckpointRows(layout)
  const opened = await openStoppedExecution({ layout, environment: process.env, clock: systemClock })
  if (!opened.ok) return `${opened.message}\n${opened.cure}`
  try {
    return await opened.execution.checkpoints()
  } finally {
    await opened.execution.close()
  }
}

const heads = ['RUN', 'CODON', 'CHECKPOINT', 'STATUS', 'SHA', 'TIME', 'FILES']

function cells({ runId, codonId, type, status, sha, timestamp, files, isUndone }: CheckpointRow) {
  return [
    runId,
    codonId === '' ? '-' : harmlessLine(codonId),
    type,
    `${codonId === '' ? '-' : status}${isUndone ? ' (undone)' : ''}`,
    sha.slice(0, 8),
    timestamp.slice(0, 19).replace('T', ' '),
    files === undefined ? '?' : String(files),
  ]
}
