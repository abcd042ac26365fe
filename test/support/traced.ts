import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedWeave } from './weave-command.ts'

/** A system call, and what happens instead of its nth time. */
export interface Fault {
  readonly call: string
  readonly nth: number
  readonly does: 'signal=SIGKILL' | `error=${string}`
  /** Only calls on this file. */
  readonly file?: string
}

export interface TracedRun {
  readonly cwd: string
  readonly words: readonly string[]
  readonly fault?: Fault
}

/** Starts the scripted command under strace, which makes one system call fail or end the process. */
export async function startTraced({ cwd, words, fault }: TracedRun): Promise<ChildProcess> {
  return spawn('strace', await commandOf({ cwd, words, ...(fault && { fault }) }), {
    cwd,
    env: environmentIn(cwd),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
}

/** One that does not end in time is killed, and has no status. */
export async function runTraced(
  run: TracedRun,
): Promise<{ readonly status: number | null; readonly said: string }> {
  const child = await startTraced(run)
  let said = ''
  const take = (chunk: Buffer): void => {
    said += chunk.toString('utf8')
  }
  child.stdout?.on('data', take)
  child.stderr?.on('data', take)
  const { pid } = child
  // strace alone would leave behind what it traces.
  const timer = setTimeout(() => pid !== undefined && process.kill(-pid, 'SIGKILL'), longest)
  const status = await new Promise<number | null>(resolve => child.on('close', resolve))
  clearTimeout(timer)
  return { status, said }
}

const longest = 60_000

/** How often an undisturbed run makes each of these calls, in the thread that makes it most: strace counts by thread. */
export async function countCalls(
  run: Omit<TracedRun, 'fault'>,
  calls: readonly string[],
  file?: string,
): Promise<Readonly<Record<string, number>>> {
  const trace = join(run.cwd, 'trace.txt')
  const options = [...quick, '-o', trace, '-e', `trace=${calls.join(',')}`, ...only(file)]
  const { status } = spawnSync(
    'strace',
    [...options, process.execPath, await scriptedWeave(), ...run.words],
    {
      cwd: run.cwd,
      env: environmentIn(run.cwd),
    },
  )
  if (status !== 0) throw new Error(`The undisturbed run ended with ${status}; is strace installed?`)
  const counts = new Map<string, number>()
  for (const [, thread = '', call = ''] of readFileSync(trace, 'utf8').matchAll(/^(\d+) +(\w+)\(/gm))
    counts.set(`${call} ${thread}`, (counts.get(`${call} ${thread}`) ?? 0) + 1)
  const count = (call: string) =>
    Math.max(0, ...[...counts].filter(([key]) => key.startsWith(`${call} `)).map(([, times]) => times))
  return Object.fromEntries(calls.map(call => [call, count(call)]))
}

async function commandOf({ words, fault }: TracedRun): Promise<readonly string[]> {
  const rule = fault ? ['-e', `inject=${fault.call}:${fault.does}:when=${fault.nth}`] : []
  const options = [
    ...(fault?.does.startsWith('signal') ? thorough : quick),
    '-o',
    '/dev/null',
    '-e',
    `trace=${fault?.call ?? 'none'}`,
    ...rule,
    ...only(fault?.file),
  ]
  return [...options, process.execPath, await scriptedWeave(), ...words]
}

const thorough = ['-f', '-qq']
/** Stops at the traced calls only. On some machines no signal is sent then. */
const quick = [...thorough, '--seccomp-bpf']

function only(file: string | undefined): readonly string[] {
  return file === undefined ? [] : ['-P', file]
}

function environmentIn(cwd: string): Readonly<Record<string, string | undefined>> {
  return { PATH: process.env['PATH'], HOME: join(cwd, 'home') }
}
