import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { checkData } from '../../src/check/data-check.ts'

/** Every look at the clock finds it a second later. */
function slowClock() {
  let now = 0
  return { ...createTestClock(), monotonic: () => 1_000 * now++ }
}

/** There is one look at the clock for the deadline, and one before each directory. */
async function checked(directories: number, timeLimit: number) {
  const path = await tempDir({ inMemory: true })
  for (let n = 0; n < directories; n++) await mkdir(join(path, `d${n}`))
  return { path, ...(await checkData({ path, exclude: [], timeLimit, clock: slowClock() })) }
}

verifies(
  ['2.2/data-hash-time-limit-validate'],
  'checking looks through data for 5000 ms, however long a run looks',
  async () => {
    for (const timeLimit of [1, 5_000, 60_000]) {
      expect(await checked(4, timeLimit)).toMatchObject({ problems: [], data: { partial: false } })
      const { path, problems, data } = await checked(6, timeLimit)
      expect(data).toMatchObject({ path, partial: true, hash: expect.stringMatching(/^partial:/) })
      expect(problems).toEqual([
        {
          severity: 'warning',
          code: 'data/left-out',
          where: '',
          message: `Looking through the data ${path} took longer than 5000 ms, so 2 directories were left out and changes there go unnoticed. A run looks for ${timeLimit} ms (dataHashTimeLimit).`,
        },
      ])
    }
  },
)
