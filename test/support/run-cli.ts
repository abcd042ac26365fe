import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

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

/** Runs the built command as a user would, with nothing of our own environment but what a shell needs. */
export function runCli(
  words: readonly string[],
  { cwd = root, env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): CliResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...words], {
    encoding: 'utf8',
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    maxBuffer: 256 * 1024 * 1024,
  })
  return { status, stdout, stderr }
}
