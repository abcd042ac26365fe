import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { leftovers } from './leftovers.ts'
import { launcher } from './run-cli.ts'
import { type RunningCommand, startCommand } from './running-command.ts'

/** A rehearsal whose one codon is long enough to be overtaken, with a real agent of one of the two SDKs. */
export interface Rehearsed {
  readonly cwd: string
  readonly execution: string
  readonly lockFile: string
  start(): RunningCommand
}

const models = { embedded: 'openai/gpt-5', sdk: 'sonnet' } as const

export function rehearsalPlace(
  cwd: string,
  { harness, steps = 24 }: { readonly harness: keyof typeof models; readonly steps?: number },
): Rehearsed {
  mkdirSync(join(cwd, 'home'), { recursive: true })
  const codon = { name: 'x', continuationMode: 'fresh', promptText: 'Work.', checkpointedFiles: ['**'] }
  const hank = [{ id: 'a', model: models[harness], ...codon }]
  const work = Array.from({ length: steps }, (_, at) => ({
    use: 'bash',
    input: { command: `sleep .1; echo ${at} >> done.txt` },
  }))
  writeFileSync(join(cwd, 'hank.json'), JSON.stringify({ $schema: 'x', hank }))
  writeFileSync(
    join(cwd, 'rehearsal.json'),
    JSON.stringify({ codons: { a: [...work, { say: 'That is all.' }] } }),
  )
  const execution = join(cwd, 'execution')
  const words = ['rehearse', '.', '--headless', '--port', '0', '-y', '-e', execution]
  return {
    cwd,
    execution,
    lockFile: join(execution, '.weave/lock.json'),
    start: () => startCommand(launcher, words, { cwd, env: { HOME: join(cwd, 'home') } }),
  }
}

/** The marks of the servers whose processes are there, by their processes. */
export function serversAtWork(execution: string): ReadonlyMap<string, readonly string[]> {
  const servers = new Map<string, string[]>()
  for (const pid of leftovers(execution)) {
    const id = /\0WEAVE_SERVER_ID=([^\0]*)/.exec(readEnvironment(pid))?.[1]
    if (id !== undefined) servers.set(id, [...(servers.get(id) ?? []), pid])
  }
  return servers
}

function readEnvironment(pid: string): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}`
  } catch {
    return ''
  }
}

/** As if a stopped server had been silent for an hour. The file stays the same one. */
export function ageLock(lockFile: string): void {
  const text = readFileSync(lockFile, 'utf8')
  const old = new Date(Date.now() - 3_600_000).toISOString()
  writeFileSync(lockFile, text.replace(/("lastHeartbeat": )"[^"]*"/, `$1"${old}"`))
}

/** The numbers of all lines of a journal, in the order of the files. */
export function seqsOf(execution: string): readonly number[] {
  const dir = join(execution, '.weave/journal')
  const segments = readdirSync(dir).filter(name => name.endsWith('.jsonl'))
  return segments
    .sort()
    .flatMap(name => readFileSync(join(dir, name), 'utf8').split('\n'))
    .filter(line => line !== '')
    .map(line => (JSON.parse(line) as { readonly seq: number }).seq)
}

export interface TracedWrites {
  /** Resolves when the process has ended. */
  readonly ended: Promise<readonly string[]>
}

/** Every change that a process makes to a file below a directory from now on, as strace tells it. */
export async function traceWrites(pid: number, below: string): Promise<TracedWrites> {
  const calls =
    'write,pwrite64,writev,pwritev,openat,rename,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,truncate,ftruncate'
  const tracer = spawn('strace', ['-f', '-y', '-s', '40', '-e', `trace=${calls}`, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void tracer.kill('SIGKILL'))
  let said = ''
  const attached = new Promise<void>((resolve, reject) => {
    tracer.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8')
      if (said.includes('attached')) resolve()
    })
    tracer.once('exit', () => reject(new Error(`strace ended: ${said}`)))
  })
  await attached
  // Its own lock file has no name any more, and the log of its session is that of its run alone: what was on its way there
  // when it was stopped may still arrive.
  const isShared = (line: string): boolean => !/O_RDONLY|\(deleted\)>|\/sessions\/run_/.test(line)
  const ended = new Promise<readonly string[]>(resolve =>
    tracer.once('close', () =>
      resolve(said.split('\n').filter(line => line.includes(below) && isShared(line))),
    ),
  )
  return { ended }
}
