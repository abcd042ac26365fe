import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'

const bundled = new Map<string, Promise<string>>()

/** A program of `fixtures/` as one file of plain JavaScript, so that starting it many times is cheap. */
export function fixtureProgram(name: 'lock-contender' | 'lock-and-die' | 'open-and-die'): Promise<string> {
  const known = bundled.get(name) ?? bundle(name)
  bundled.set(name, known)
  return known
}

async function bundle(name: string): Promise<string> {
  const outfile = join(await mkdtemp(join(tmpdir(), 'weave-fixture-')), `${name}.mjs`)
  await build({
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    entryPoints: [new URL(`./fixtures/${name}.ts`, import.meta.url).pathname],
    outfile,
    conditions: ['development'],
    mainFields: ['module', 'main'],
  })
  return outfile
}
