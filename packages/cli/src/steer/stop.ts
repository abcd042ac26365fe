import { hostname } from 'node:os'
import { basename } from 'node:path'
import { executionStatus, listExecutions, readLock, systemClock } from '@weave/runtime'
import { durationText } from 'weave-client'
import { goOnCommand } from '../go-on.ts'
import { type ChosenExecution, chooseExecution, executionBaseOf } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { openClient, type RunningServer, runningServer } from './running-server.ts'

/** `weave stop [execution]`: ends a run in good order; with `--now` at once. */
export async function stopCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const chosen = await chosenToStop(args, terminal)
  if ('code' in chosen) return chosen.code
  if (chosen.executions.length === 0) terminal.error('Nothing runs.')
  let isStopped = chosen.executions.length > 0
  for (const execution of chosen.executions)
    if (!(await stopOne(execution, args, terminal))) isStopped = false
  return isStopped ? exitCodes.done : exitCodes.failed
}

type Chosen = { readonly executions: readonly ChosenExecution[] } | { readonly code: ExitCode }

async function chosenToStop(args: Arguments, terminal: Terminal): Promise<Chosen> {
  if (args.switches.has('all')) {
    const executionBaseDir = await executionBaseOf(args)
    const { executions } = await listExecutions({ executionBaseDir, clock: systemClock })
    return { executions: executions.filter(({ lock }) => lock.kind === 'held') }
  }
  const chosen = await chooseExecution(args, terminal, { word: args.positionals[0], prefersRunning: true })
  return chosen.ok ? { executions: [chosen] } : { code: chosen.code }
}

async function stopOne(chosen: ChosenExecution, args: Arguments, terminal: Terminal): Promise<boolean> {
  const { layout, file } = chosen
  const server = await runningServer(layout, args)
  if (!server) {
    terminal.error(`Nothing runs in ${layout.dir}.`)
    return false
  }
  const begun = systemClock.monotonic()
  const ended = args.switches.has('now')
    ? await kill(server, 'SIGKILL', layout.lockFile)
    : await askToEnd(server, { args, terminal, lockFile: layout.lockFile })
  if (ended !== undefined) {
    terminal.error(ended)
    return false
  }
  const { status } = await executionStatus(layout)
  const took = durationText(systemClock.monotonic() - begun)
  if (status === 'completed')
    terminal.out(`${basename(layout.dir)} had come to its end; closed after ${took}.`)
  else {
    terminal.out(`Stopped ${basename(layout.dir)} after ${took}.`)
    terminal.out(`Go on with: ${goOnCommand({ dir: layout.dir, isRehearsal: file?.rehearsal ?? false })}`)
  }
  return true
}

/** Longer than a server gives itself for a graceful end. */
const longestEnd = 35_000
const pollMs = 50

interface Asking {
  readonly args: Arguments
  readonly terminal: Terminal
  readonly lockFile: string
}

/** First over the socket, then by a signal. Returns why it goes on. */
async function askToEnd(server: RunningServer, asking: Asking): Promise<string | undefined> {
  const { args, terminal, lockFile } = asking
  const opened = await openClient(server, 'readonly')
  if (opened.ok) {
    const reason = args.texts.reason ?? 'weave stop'
    const answer = await opened.client.send('server.shutdown', { reason }, { timeoutMs: longestEnd })
    if (!answer.ok) terminal.error(answer.message)
    if (await isGone(server, lockFile)) {
      opened.client.close()
      return undefined
    }
    opened.client.close()
  } else terminal.error(opened.message)
  terminal.error('It does not end by itself: SIGTERM.')
  return kill(server, 'SIGTERM', lockFile)
}

/** The lock names the process together with when it began, so no other process is meant. */
async function kill(
  server: RunningServer,
  signal: NodeJS.Signals,
  lockFile: string,
): Promise<string | undefined> {
  const { pid, host } = server.record
  if (host !== undefined && host !== hostname()) return `It runs on ${host}: stop it there.`
  if (await isHeldBy(server, lockFile)) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      return `Process ${pid} cannot be ended: ${error instanceof Error ? error.message : String(error)}.`
    }
  }
  if (await isGone(server, lockFile)) return undefined
  return `Process ${pid} does not end.${signal === 'SIGKILL' ? '' : ' "weave stop --now" ends it at once.'}`
}

async function isGone(server: RunningServer, lockFile: string): Promise<boolean> {
  const deadline = systemClock.monotonic() + longestEnd
  while (await isHeldBy(server, lockFile)) {
    if (systemClock.monotonic() > deadline) return false
    await systemClock.sleep(pollMs)
  }
  return true
}

async function isHeldBy({ record }: RunningServer, lockFile: string): Promise<boolean> {
  const lock = await readLock(lockFile, systemClock)
  if (lock.kind !== 'held') return false
  const now = lock.holder.record
  return now?.pid === record.pid && now.startTime === record.startTime
}
