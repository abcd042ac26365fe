import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { scriptedProgram } from '../../scripts/test/scripted-program.mjs'

/** The command `weave`, built or with scripted agents, run to its end or started: what every end-to-end test drives. */

export const root = new URL('../..', import.meta.url).pathname
export const launcher = join(root, 'packages/cli/bin/weave.cjs')
export const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as {
  readonly version: string
}

export interface CliResult {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Where a command runs, and what it has of an environment beside `PATH`. */
export interface Surrounding {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly input?: string
  /** Words before the command that give it other surroundings, such as `unshare`. */
  readonly through?: readonly string[]
}

/** Runs the built command as a user would, with nothing of our own environment but what a shell needs. */
export function runCli(
  words: readonly string[],
  { cwd = root, env = {} }: Partial<Surrounding> = {},
): CliResult {
  return runProgram(launcher, words, { cwd, env: { HOME: process.env['HOME'] ?? '', ...env } })
}

/** Runs the scripted command to its end. */
export async function runScripted(words: readonly string[], surrounding: Surrounding): Promise<CliResult> {
  return runProgram(await scriptedWeave(), words, surrounding)
}

function runProgram(program: string, words: readonly string[], { cwd, env, input }: Surrounding): CliResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    encoding: 'utf8',
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    ...(input !== undefined && { input }),
    maxBuffer: 256 * 1024 * 1024,
  })
  return { status, stdout, stderr }
}

let built: Promise<string> | undefined

/** The path of `scripted-weave.ts` as a program. */
export function scriptedWeave(): Promise<string> {
  built ??= scriptedProgram()
  return built
}

/** A command that is under way. */
export interface RunningCommand {
  readonly child: ChildProcess
  /** Settles with the exit code, or null after a signal that nobody handled. */
  readonly ended: Promise<number | null>
  /** Everything it has said so far, on both streams. */
  readonly said: () => string
  /** Resolves when it has said something that fits; rejects when it ends before. */
  readonly until: (fits: string | RegExp) => Promise<string>
  readonly kill: (signal: NodeJS.Signals) => Promise<number | null>
}

/** Starts a program of ours; one that is still there at the end of the test is killed. */
export function startCommand(
  program: string,
  words: readonly string[],
  { cwd, env, through = [] }: Surrounding,
): RunningCommand {
  const [first = process.execPath, ...rest] = [...through, process.execPath, program, ...words]
  const child = spawn(first, rest, {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const waiting = new Set<() => void>()
  const take = (chunk: Buffer): void => {
    said += chunk.toString('utf8')
    for (const check of waiting) check()
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await ended
  })
  const until = (fits: string | RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (typeof fits === 'string' ? said.includes(fits) : fits.test(said)) resolve(said)
      }
      waiting.add(check)
      check()
      void ended.then(code => reject(new Error(`It ended with ${code} before it said ${fits}:\n${said}`)))
    })
  const kill = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    return ended
  }
  return { child, ended, said: () => said, until, kill }
}
