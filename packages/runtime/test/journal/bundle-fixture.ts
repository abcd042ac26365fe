import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'

const bundled = new Map<string, Promise<string>>()

/** A fixture program as one file of plain JavaScript, so that starting it many times is cheap. */
export function bundleFixture(name: string): Promise<string> {
  const known = bundled.get(name) ?? bundle(name)
  bundled.set(name, known)
  return known
}

async function bundle(name: string): Promise<string> {
  const outfile = join(await mkdtemp(join(tmpdir(), 'weave-fixture-')), name.replace(/\.ts$/, '.mjs'))
  const entry = new URL(`./fixtures/${name}`, import.meta.url).pathname
  const options = {
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  } as const
  await build({
    ...options,
    entryPoints: [entry],
    outfile,
    conditions: ['development'],
    mainFields: ['module', 'main'],
  })
  return outfile
}
