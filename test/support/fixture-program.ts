import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { programFolder } from './program-folder.ts'

const bundled = new Map<string, Promise<string>>()

/** A fixture program as one file of plain JavaScript, made once, so that starting it many times is cheap. */
export function fixtureProgram(source: URL): Promise<string> {
  const known = bundled.get(source.href) ?? bundle(source.pathname)
  bundled.set(source.href, known)
  return known
}

async function bundle(entry: string): Promise<string> {
  const outfile = join(programFolder(), basename(entry).replace(/\.ts$/, '.mjs'))
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
  })
  return outfile
}
