import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { isAlive } from '../../packages/runtime/src/kit/index.ts'

/** Programs that tests build and start. */

const owned = /^weave-program-(\d+)-/

/**
 * A folder for a program, of use to the whole process. Workers of the tests are ended without a last word, so nobody can
 * tidy up at the end: the next one to come removes what processes that are gone have left.
 */
function programFolder(): string {
  for (const name of readdirSync(tmpdir())) {
    const owner = owned.exec(name)?.[1]
    if (owner !== undefined && !isAlive(Number(owner))) {
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
    }
  }
  return mkdtempSync(join(tmpdir(), `weave-program-${process.pid}-`))
}

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
