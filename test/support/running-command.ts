import { type ChildProcess, spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import type { Surrounding } from './scripted-program.ts'

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
  { cwd, env }: Surrounding,
): RunningCommand {
  const child = spawn(process.execPath, [program, ...words], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const looks = new Set<() => void>()
  const take = (chunk: Buffer): void => {
    said += chunk.toString('utf8')
    for (const look of looks) look()
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
      const look = (): void => {
        if (typeof fits === 'string' ? said.includes(fits) : fits.test(said)) resolve(said)
      }
      looks.add(look)
      look()
      void ended.then(code => reject(new Error(`It ended with ${code} before it said ${fits}:\n${said}`)))
    })
  const kill = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    return ended
  }
  return { child, ended, said: () => said, until, kill }
}
