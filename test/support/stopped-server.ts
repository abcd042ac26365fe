import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { bash, codon, type HankFolder, hankFolderIn, lightAgents } from './hank-folder.ts'
import { isProof } from './proof.ts'
import type { RunningCommand } from './weave-command.ts'

/** A rehearsal whose one codon is long enough to be overtaken, with a real agent of one of the two SDKs or a light one. */
export interface Rehearsed extends HankFolder {
  readonly dir: string
  readonly lockFile: string
  readonly startRehearsal: () => RunningCommand
}

/** Long enough for another server to start meanwhile. */
export const usualSteps = isProof ? 24 : 14

const models = {
  embedded: 'openai/gpt-5',
  sdk: 'sonnet',
  light: 'acp/scripted/claude-sonnet-4-5',
} as const

export function rehearsalPlace(
  cwd: string,
  { harness, steps = usualSteps }: { readonly harness: keyof typeof models; readonly steps?: number },
): Rehearsed {
  const work = Array.from({ length: steps }, (_, at) => bash(`sleep .1; echo ${at} >> done.txt`))
  const hank = [codon('a', { model: models[harness], checkpointedFiles: ['**'] })]
  const script = { codons: { a: [...work, { say: 'That is all.' }] } }
  const at = hankFolderIn(cwd, hank, { 'weave.json': lightAgents, 'rehearsal.json': script })
  const dir = at.path('execution')
  return {
    ...at,
    dir,
    lockFile: join(dir, '.weave/lock.json'),
    startRehearsal: () => at.start('rehearse', '.', '--headless', '--port', '0', '-y', '-e', dir),
  }
}

/** As if a stopped server had been silent for an hour. The file stays the same one. */
export function ageLock(lockFile: string): void {
  const text = readFileSync(lockFile, 'utf8')
  const old = new Date(Date.now() - 3_600_000).toISOString()
  writeFileSync(lockFile, text.replace(/("lastHeartbeat": )"[^"]*"/, `$1"${old}"`))
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
