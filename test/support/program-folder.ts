import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../packages/runtime/src/kit/index.ts'

const owned = /^weave-program-(\d+)-/

/**
 * A folder for a program that tests build and start, of use to the whole process. Threads of the tests are ended without
 * a last word, so nobody can tidy up at the end: the next one to come removes what processes that are gone have left.
 */
export function programFolder(): string {
  for (const name of readdirSync(tmpdir())) {
    const owner = owned.exec(name)?.[1]
    if (owner !== undefined && !isAlive(Number(owner))) {
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
    }
  }
  return mkdtempSync(join(tmpdir(), `weave-program-${process.pid}-`))
}
