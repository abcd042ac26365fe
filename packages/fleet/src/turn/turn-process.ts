import { type ChildProcess, fork } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Moment } from '@weave/runtime'
import type { FromTurn, ToTurn, TurnEnd, TurnJob, TurnStep, TurnWord } from './messages.ts'
import type { Requests } from './requests.ts'

export interface TurnProgram {
  readonly script: string
  readonly args: readonly string[]
  readonly execArgv: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
}

export interface TurnProcessOptions {
  readonly program: TurnProgram
  readonly job: TurnJob
  /** Variables that are not for agents, beside those of the fleet itself. */
  readonly hidden: readonly string[]
  /** Where its words go. */
  readonly log: string
  readonly onHandOver: (step: TurnStep) => Promise<TurnWord>
  readonly onAdmission: (step: TurnStep) => Promise<TurnWord>
  readonly requests: Requests
}

export interface TurnProcess {
  readonly pid: number
  /** Undefined: it died without a word. */
  readonly ended: Promise<TurnEnd | undefined>
  /** It may act until then. */
  fresh(until: Moment): void
  /** For its record: what its codon waits for. */
  waits(forWhat: 'budget' | 'provider'): void
  /** In good order; with a reason it is the run's own end. */
  stop(reason?: string): void
  kill(): void
}

/**
 * The process of one turn. Its death is not the worker's, and when the worker dies it ends by itself. It knows neither the
 * address of the engine nor that of the store.
 */
export function startTurnProcess({ program, job, log, hidden, ...on }: TurnProcessOptions): TurnProcess {
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 })
  const file = openSync(log, 'a', 0o600)
  const child = fork(program.script, [...program.args], {
    execArgv: [...program.execArgv],
    env: withoutFleet(program.environment, hidden),
    stdio: ['ignore', file, file, 'ipc'],
    // A Ctrl-C at the terminal of the worker is the worker's: it lets its turns come to a border.
    detached: true,
  })
  closeSync(file)
  const send = (message: ToTurn): void => {
    if (child.connected) child.send(message, () => undefined)
  }
  let end: TurnEnd | undefined
  const { onHandOver, onAdmission, requests } = on
  child.on('message', (message: FromTurn) => {
    if (message.type === 'ready') send({ type: 'job', job })
    else if (message.type === 'ended') end = message.end
    else if (message.type === 'forget') requests.forget(message.id)
    else if (message.type === 'answered') requests.answered(message.id, message.outcome)
    else if (message.type === 'request')
      void requests
        .asked(message.id, message.facts)
        .then(word => send({ type: 'request-word', id: message.id, word }))
    else
      void (message.type === 'admission' ? onAdmission : onHandOver)(message.step).then(word =>
        send({ type: 'word', id: message.id, word }),
      )
  })
  const ended = new Promise<TurnEnd | undefined>(resolve => {
    child.once('error', () => resolve(undefined))
    child.once('exit', () => resolve(end))
  })
  return {
    pid: child.pid ?? 0,
    ended,
    fresh: until => send({ type: 'fresh', until }),
    waits: forWhat => send({ type: 'waiting', for: forWhat }),
    stop: reason => (reason === undefined ? signal(child, 'SIGTERM') : send({ type: 'stop', reason })),
    kill: () => signal(child, 'SIGKILL'),
  }
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.exitCode === null && child.signalCode === null) child.kill(name)
}

/** Agents inherit what this process has. */
function withoutFleet(
  environment: TurnProgram['environment'],
  hidden: readonly string[],
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !name.startsWith('WEAVE_FLEET_') && !hidden.includes(name),
    ),
  )
}
