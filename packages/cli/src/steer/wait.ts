import {
  type ExecutionLayout,
  executionStatus,
  readEvents,
  readLock,
  systemClock,
  waitingGate,
} from '@weave/runtime'
import { chooseExecution } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes, signalCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'

/** `weave wait [execution]`: returns when the run has ended, with what that means for a script. */
export async function waitCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const seconds = args.texts.timeout === undefined ? undefined : Number(args.texts.timeout)
  if (seconds !== undefined && !(seconds >= 0 && seconds <= longestWait)) {
    terminal.error(`--timeout takes seconds, 0 to ${longestWait}, such as 600.`)
    return exitCodes.usage
  }
  const chosen = await chooseExecution(args, terminal, { word: args.positionals[0], prefersRunning: true })
  if (!chosen.ok) return chosen.code
  const over = new AbortController()
  const timer = seconds === undefined ? undefined : setTimeout(() => over.abort(), seconds * 1000)
  const end = await endOf(chosen.layout, over.signal)
  clearTimeout(timer)
  if (!end) {
    terminal.error(`It still runs after ${seconds} s.`)
    return exitCodes.failed
  }
  terminal.out(endText(end))
  return codeOf(end)
}

const longestWait = 2_000_000

const words: Readonly<Record<string, string>> = {
  completed: 'The hank is done',
  failed: 'The hank failed',
  stopped: 'The hank was stopped',
  crashed: 'The run was cut off',
  new: 'It has not begun',
  waits: 'It waits for a person at gate',
}

function endText({ status, reason }: RunEnd): string {
  const word = words[status] ?? status
  if (reason === undefined) return word
  return status === 'waits' ? `${word} ${reason}` : `${word}: ${reason}`
}

interface RunEnd {
  readonly status: string
  readonly reason?: string | undefined
}

/** Of a run that was stopped the same as of one that got a signal: it is not done, and a script must not go on. */
function codeOf({ status, reason }: RunEnd): ExitCode {
  if (status === 'completed') return exitCodes.done
  if (status === 'waits') return exitCodes.waits
  if (status !== 'stopped') return exitCodes.failed
  return reason === 'SIGTERM' || reason === 'SIGHUP' ? signalCodes[reason] : exitCodes.interrupted
}

const pollMs = 250

/**
 * The end of the run of the server that is at work now, as its journal tells, since a server may stay up after it; or what
 * a server that is gone has left. Undefined when `over` aborts before.
 */
async function endOf(layout: ExecutionLayout, over: AbortSignal): Promise<RunEnd | undefined> {
  const since = await heldSince(layout)
  if (since === undefined) return atRest(layout)
  const past = await lastOf(layout, since)
  if (past.end && isFinal(past.end)) return past.end
  const settled = new AbortController()
  const either = AbortSignal.any([over, settled.signal])
  const told = toldEnd(layout, past.seq, either)
  const gone = untilGone(layout, since, either)
  await Promise.race([told, gone])
  settled.abort()
  const [end] = await Promise.all([told, gone])
  if (end) return end
  if ((await heldSince(layout)) === since) return undefined
  const { status } = await executionStatus(layout)
  return { status, reason: (await lastOf(layout, since)).end?.reason }
}

/** A run that left a gate open waits there also when no server is up. */
async function atRest(layout: ExecutionLayout): Promise<RunEnd> {
  const { status } = await executionStatus(layout)
  const waits = status === 'completed' ? undefined : await waitingGate(layout)
  return waits === undefined ? { status } : { status: 'waits', reason: waits }
}

/** A run that was stopped while its server goes on makes room for another one: a codon is done again, or a way was gone back. */
function isFinal({ status }: RunEnd): boolean {
  return status !== 'stopped'
}

const beginsAndEnds: ReadonlySet<string> = new Set([
  'run.started',
  'run.completed',
  'gate.waiting',
  'gate.decided',
])

/** The end of the newest run of this server, if it has ended, and where in the journal that stands. */
async function lastOf(
  layout: ExecutionLayout,
  since: string,
): Promise<{ readonly end?: RunEnd; readonly seq: number }> {
  let last: { readonly end?: RunEnd; readonly seq: number } = { seq: 0 }
  for await (const { event } of readEvents(layout, { types: beginsAndEnds }, () => undefined)) {
    const isEnd = event.type === 'run.completed' && event.timestamp >= since
    last = { seq: event.seq, ...(isEnd && { end: event.data }) }
    if (event.type === 'gate.waiting') last = { ...last, end: waitsAt(event.data) }
  }
  return last
}

function waitsAt({ gateId }: { readonly gateId: string }): RunEnd {
  return { status: 'waits', reason: gateId }
}

async function toldEnd(
  layout: ExecutionLayout,
  since: number,
  follow: AbortSignal,
): Promise<RunEnd | undefined> {
  for await (const { event } of readEvents(
    layout,
    { types: beginsAndEnds, since, follow },
    () => undefined,
  )) {
    if (event.type === 'gate.waiting') return waitsAt(event.data)
    if (event.type === 'run.completed' && isFinal(event.data)) return event.data
  }
  return undefined
}

async function untilGone(layout: ExecutionLayout, since: string, signal: AbortSignal): Promise<undefined> {
  while (!signal.aborted && (await heldSince(layout)) === since)
    await systemClock.sleep(pollMs, signal).catch(() => undefined)
  return undefined
}

/** When the server that holds it took it. */
async function heldSince({ lockFile }: ExecutionLayout): Promise<string | undefined> {
  const lock = await readLock(lockFile, systemClock)
  return lock.kind === 'held' ? (lock.holder.record?.startTime ?? '') : undefined
}
