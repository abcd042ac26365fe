import { expect } from 'vitest'
import { fixtureProgram } from '../../../../test/support/fixture-program.ts'
import { run } from '../../src/kit/index.ts'

export interface DyingRun {
  /** It got to its end without being killed. */
  readonly finished: boolean
  readonly stdout: string
}

/** Runs the program with these arguments; it is killed just before its n-th change on the disk. */
export type DyingProgram = (args: readonly string[], deadline: number) => Promise<DyingRun>

/** A program of `fixtures/`, as one file of plain JavaScript, so that starting it many times is cheap. */
export async function dyingProgram(name: 'outputs-and-die' | 'archive-and-die'): Promise<DyingProgram> {
  const outfile = await fixtureProgram(new URL(`./fixtures/${name}.ts`, import.meta.url))
  return async (args, deadline) => {
    const result = await run(process.execPath, [outfile, ...args, `${deadline}`])
    if (result.signal === 'SIGKILL') return { finished: false, stdout: result.stdout }
    if (result.code === 0) return { finished: true, stdout: result.stdout }
    throw new Error(`${name} failed: ${result.stderr}`)
  }
}

/** One attempt for every deadline, four at a time, until one gets through. */
export async function untilFinished(attempt: (deadline: number) => Promise<boolean>): Promise<void> {
  for (let first = 1; first < 400; first += 4) {
    const finished = await Promise.all([0, 1, 2, 3].map(more => attempt(first + more)))
    if (!finished.includes(true)) continue
    expect(first).toBeGreaterThan(8)
    return
  }
  throw new Error('it never finished')
}
