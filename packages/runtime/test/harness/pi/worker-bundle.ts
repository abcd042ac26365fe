import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { WorkerCommand } from '../../../src/harness/pi/worker-process.ts'

const bundled = new Map<string, Promise<WorkerCommand>>()

/** A program of `fixtures/`, as one file beside a link to the installed packages: it starts as fast as a built one. */
export function program(name: string): Promise<WorkerCommand> {
  const known = bundled.get(name) ?? bundle(fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url)))
  bundled.set(name, known)
  return known
}

async function bundle(entry: string): Promise<WorkerCommand> {
  const folder = mkdtempSync(join(tmpdir(), 'weave-worker-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(installedPackages(), join(folder, 'node_modules'))
  const outfile = join(folder, 'worker.mjs')
  await build({
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    entryPoints: [entry],
    outfile,
    conditions: ['weave-source'],
    mainFields: ['module', 'main'],
    external: ['@earendil-works/*'],
  })
  return { command: process.execPath, args: [outfile] }
}

function installedPackages(): string {
  return dirname(dirname(createRequire(import.meta.url).resolve('esbuild/package.json')))
}
