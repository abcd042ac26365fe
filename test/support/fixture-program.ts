import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { build } from 'esbuild'

const bundled = new Map<string, Promise<string>>()

/** A fixture program as one file of plain JavaScript, made once, so that starting it many times is cheap. */
export function fixtureProgram(source: URL): Promise<string> {
  const known = bundled.get(source.href) ?? bundle(source.pathname)
  bundled.set(source.href, known)
  return known
}

async function bundle(entry: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'weave-fixture-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const outfile = join(folder, basename(entry).replace(/\.ts$/, '.mjs'))
  await build({
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    entryPoints: [entry],
    outfile,
    conditions: ['development'],
    mainFields: ['module', 'main'],
  })
  return outfile
}
