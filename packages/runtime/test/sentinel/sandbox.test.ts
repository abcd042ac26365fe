import { readdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { createSandbox } from '../../src/sentinel/sandbox.ts'
import { sandboxEntry } from './sandboxes.ts'

const job = { kind: 'render', code: '(it => it.word)', it: '{"word":"done"}' } as const

/** Of this process. */
const threads = (): number => readdirSync('/proc/self/task').length

test.runIf(process.platform === 'linux')(
  'a thread that has nothing to do ends, and the next job has another',
  async () => {
    const clock = createTestClock()
    const sandbox = createSandbox(await sandboxEntry(), clock)
    onTestFinished(() => sandbox.close())
    // Begins the threads that Node has for files.
    await readdir('/proc/self/task')
    const before = threads()
    expect(await sandbox.run(job)).toEqual({ ok: true, text: 'done' })
    const working = threads()
    expect(working).toBeGreaterThan(before)
    // Each job begins the rest anew.
    await clock.advance(9_000)
    expect(await sandbox.run(job)).toEqual({ ok: true, text: 'done' })
    await clock.advance(9_000)
    expect(threads()).toBe(working)
    await clock.advance(1_000)
    await expect.poll(threads).toBeLessThan(working)
    expect(await sandbox.run(job)).toEqual({ ok: true, text: 'done' })
  },
)
