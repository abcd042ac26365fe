import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { launcher } from './weave-command.ts'

/** The user who runs weave in these tests: not root, whom everyone lets in. */
export const serverUser = 1_500
/** Someone else on the same machine. */
export const otherUser = 65_534

/** Only root may become someone else, and the built command must be readable for that one. */
export const canBeOthers =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('setpriv', [...as(serverUser), process.execPath, launcher, '--version']).status === 0

function as(uid: number): readonly string[] {
  return ['--reuid', String(uid), '--regid', String(uid), '--clear-groups']
}

/** Starts a program with these words as another user, or as our own. */
export function startAs(
  uid: number,
  words: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): ChildProcess & { readonly stdout: NodeJS.ReadableStream; readonly stderr: NodeJS.ReadableStream } {
  const [program = '', ...rest] = uid === process.getuid?.() ? words : ['setpriv', ...as(uid), ...words]
  return spawn(program, rest, {
    cwd: options.cwd ?? '/',
    env: { PATH: process.env['PATH'], ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Runs the text of a CommonJS program as another user; resolves with what it printed. */
export async function runAs(uid: number, program: string, ...words: readonly string[]): Promise<string> {
  const child = startAs(uid, [process.execPath, '-e', program, ...words])
  const [said, complaint] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (child.exitCode !== 0) throw new Error(`It ended with ${child.exitCode}: ${complaint}`)
  return said.trim()
}
