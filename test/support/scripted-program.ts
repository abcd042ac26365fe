import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { bundleProgram } from '../../scripts/bundle/program.mjs'
import { programFolder } from './program-folder.ts'
import { type CliResult, root } from './run-cli.ts'

let built: Promise<string> | undefined

/** The path of `scripted-weave.ts` as a program, built once and as the real one is, so that its starts are as quick. */
export function scriptedWeave(): Promise<string> {
  built ??= build()
  return built
}

async function build(): Promise<string> {
  const folder = programFolder()
  // What is not taken into the bundle is found as from within the repository.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  await bundleProgram({
    entry: new URL('./scripted-weave.ts', import.meta.url).pathname,
    outdir: join(folder, 'dist'),
    name: 'weave',
    external: ['@anthropic-ai/claude-agent-sdk', '@earendil-works/pi-ai', '@earendil-works/pi-coding-agent'],
    define: { __WEAVE_VERSION__: '"0.0.0-scripted"' },
  })
  return join(folder, 'dist/weave.cjs')
}

export interface Surrounding {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly input?: string
}

/** Runs the scripted command to its end, with nothing of our own environment but what a shell needs. */
export async function runScripted(
  words: readonly string[],
  { cwd, env, input }: Surrounding,
): Promise<CliResult> {
  const { status, stdout, stderr } = spawnSync(process.execPath, [await scriptedWeave(), ...words], {
    encoding: 'utf8',
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    ...(input !== undefined && { input }),
    maxBuffer: 256 * 1024 * 1024,
  })
  return { status, stdout, stderr }
}
