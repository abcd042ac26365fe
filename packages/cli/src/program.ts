import { homedir } from 'node:os'
import type { OwnPrograms, Program } from '@weave/runtime'

/** This program again, as one of the processes that a run needs besides the server. */
export function ownPrograms(): OwnPrograms {
  // With our own home: a worker has the environment of a codon, and must not look for packages where a hank sends it.
  const worker = asCommand('agent-worker')
  return { agentWorker: { ...worker, args: [...worker.args, homedir()] }, warden: asCommand('warden') }
}

/** Another command of this program. */
export function asCommand(name: string): Program {
  const [, script = ''] = process.argv
  return { command: process.execPath, args: [...process.execArgv, script, name] }
}

/** The same for a thread. */
export function asThread(name: 'sentinel-sandbox' | 'traces-thread' | 'dashboard-reader') {
  return { file: process.argv[1] ?? '', argv: [name] } as const
}

declare const __WEAVE_VERSION__: string | undefined

/** The version of the package; put in by the bundler. From source it says so. */
export const version = typeof __WEAVE_VERSION__ === 'string' ? __WEAVE_VERSION__ : '0.0.0-source'

/** Where the handbook is; the same as in the manifest of the package. */
export const homepage = 'https://weave.invalid/'

/** Where the rule behind the code of a problem is explained. */
export function ruleAddress(code: string): string {
  return `${homepage}validate#${code.replace('/', '-')}`
}

/** What the process says when it ends. */
export const exitCodes = {
  /** The hank completed, nothing was left to do, or validation passed. */
  done: 0,
  /** The run failed or the configuration is invalid. */
  failed: 1,
  /** Wrong usage. */
  usage: 2,
  /** The run waits for a person. */
  waits: 3,
  /** The engine or the store of a fleet cannot be reached. */
  unreachable: 4,
  /** The fleet refuses this program: version, root, schema. */
  refused: 5,
  /** Ended by SIGINT before the hank was done. */
  interrupted: 130,
  /** Ended by SIGTERM before the hank was done. */
  terminated: 143,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** The signals that ask the process to end, and what it then says. */
export const signalCodes = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGHUP: exitCodes.terminated,
} as const

/**
 * Takes the value of `--token` out of the list of processes, which every user of a machine can read. The title of a process
 * lies where its arguments lay and is as long, so nothing of them stays. `process.argv` keeps its words.
 */
export function hideToken(): void {
  const words = process.argv.slice(2)
  const shown = withoutToken(words)
  if (shown.some((word, index) => word !== words[index])) process.title = ['weave', ...shown].join(' ')
}

/** The words of a command line; what may be a token is replaced. */
export function withoutToken(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    if (words[index - 1] === '--token') return hidden
    return word.startsWith('--token=') ? `--token=${hidden}` : word
  })
}

const hidden = '[hidden]'
