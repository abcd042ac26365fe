import { chmod, mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createTestClock, type TestClock } from '../../../../test/support/test-clock.ts'
import { walk } from '../../src/files/index.ts'
import {
  hashData,
  noDataHash,
  type OpenedExecution,
  type OpenOptions,
  type OpenProblem,
  openExecution,
} from '../../src/workspace/index.ts'

/** A base directory, some data and a clock; `open` is a start with the usual options. */
export interface OpenScene {
  readonly home: string
  readonly base: string
  readonly data: string
  readonly clock: TestClock
  options(change?: Partial<OpenOptions>): Promise<OpenOptions>
  open(change?: Partial<OpenOptions>): Promise<OpenedExecution>
  fail(change?: Partial<OpenOptions>): Promise<OpenProblem>
}

export async function openScene(): Promise<OpenScene> {
  const home = await tempDir()
  const [base, data] = [join(home, 'executions'), join(home, 'data')]
  const clock = createTestClock('2026-03-04T05:06:07.000Z')
  await mkdir(data)
  await writeFile(join(data, 'notes.md'), 'hello')
  await chmod(join(data, 'notes.md'), 0o644)
  await utimes(join(data, 'notes.md'), new Date(0), new Date(0))

  const options = async (change: Partial<OpenOptions> = {}): Promise<OpenOptions> => {
    const path = 'data' in change ? change.data : data
    const hashed = path === undefined ? undefined : await hashData({ path, timeLimit: 5_000, clock })
    return {
      hankPath: join(home, 'hank.json'),
      hankHash: 'h1',
      hankName: 'My Hank',
      data,
      dataHash: hashed?.ok ? hashed.hash : noDataHash,
      executionBaseDir: base,
      startNew: false,
      force: false,
      wipe: true,
      copy: false,
      rehearsal: false,
      weaveVersion: '0.10.0',
      clock,
      ...change,
    }
  }
  return {
    home,
    base,
    data,
    clock,
    options,
    async open(change) {
      const result = await openExecution(await options(change))
      if (result.kind === 'problem') throw new Error(`${result.code}: ${result.message}`)
      return result
    },
    async fail(change) {
      const result = await openExecution(await options(change))
      if (result.kind !== 'problem') throw new Error(`${result.kind} ${result.layout.dir}`)
      expect(result.cure).not.toBe('')
      return result
    },
  }
}

/** Every entry below a directory with its type and permissions, sorted. */
export async function listing(dir: string): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const item of walk(dir, { maxEntries: 1_000, maxDepth: 20 })) {
    if (item.kind !== 'entry') throw new Error(item.path)
    const { stats } = item
    const type = stats.isDirectory() ? 'd' : stats.isSymbolicLink() ? 'l' : 'f'
    lines.push(`${item.path} ${type} ${(stats.mode & 0o777).toString(8)}`)
  }
  return lines.sort()
}
