import { type ChildProcess, fork } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FromTurn, ToTurn, TurnEnd, TurnJob, TurnStep, TurnWord } from './messages.ts'

export interface TurnProgram {
  readonly script: string
  readonly args: readonly string[]
  readonly execArgv: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
}

export interface TurnProcessOptions {
  readonly program: TurnProgram
  readonly job: TurnJob
  /** Where its words go. */
  readonly log: string
  readonly onHandOver: (step: TurnStep) => Promise<TurnWord>
}

export interface TurnProcess {
  readonly pid: number
  /** Undefined: it died without a word. */
  readonly ended: Promise<TurnEnd | undefined>
  /** The worker may act for so long. */
  fresh(milliseconds: number): void
  /** In good order. */
  stop(): void
  kill(): void
}

/**
 * The process of one turn. Its death is not the worker's, and when the worker dies it ends by itself. It knows neither the
 * address of the engine nor that of the store.
 */
export function startTurnProcess({ program, job, log, onHandOver }: TurnProcessOptions): TurnProcess {
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 })
  const file = openSync(log, 'a', 0o600)
  const child = fork(program.script, [...program.args], {
    execArgv: [...program.execArgv],
    env: withoutFleet(program.environment),
    stdio: ['ignore', file, file, 'ipc'],
    // A Ctrl-C at the terminal of the worker is the worker's: it lets its turns come to a border.
    detached: true,
  })
  closeSync(file)
  const send = (message: ToTurn): void => {
    if (child.connected) child.send(message, () => undefined)
  }
  let end: TurnEnd | undefined
  child.on('message', (message: FromTurn) => {
    if (message.type === 'ready') send({ type: 'job', job })
    if (message.type === 'ended') end = message.end
    if (message.type === 'hand-over')
      void onHandOver(message.step).then(word => send({ type: 'word', id: message.id, word }))
  })
  const ended = new Promise<TurnEnd | undefined>(resolve => {
    child.once('error', () => resolve(undefined))
    child.once('exit', () => resolve(end))
  })
  return {
    pid: child.pid ?? 0,
    ended,
    fresh: milliseconds => send({ type: 'fresh', milliseconds }),
    stop: () => signal(child, 'SIGTERM'),
    kill: () => signal(child, 'SIGKILL'),
  }
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.exitCode === null && child.signalCode === null) child.kill(name)
}

/** Agents inherit what this process has. */
function withoutFleet(environment: TurnProgram['environment']): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('WEAVE_FLEET_')))
}
