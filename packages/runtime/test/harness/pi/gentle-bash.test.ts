import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BashOperations } from '@earendil-works/pi-coding-agent'
import { expect, vi } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../../test/support/temp-dir.ts'
import { createTestClock } from '../../../../../test/support/test-clock.ts'
import { gentleBash } from '../../../src/harness/pi/worker/open-session.ts'

/** As the SDK does it: a group of its own, and SIGKILL at once. */
const local: BashOperations = {
  exec: (command, cwd, { signal }) =>
    new Promise((resolve, reject) => {
      const child = spawn('sh', ['-c', command], { cwd, detached: true, stdio: 'ignore' })
      signal?.addEventListener('abort', () => void process.kill(-(child.pid ?? 0), 'SIGKILL'))
      child.once('exit', code =>
        signal?.aborted ? reject(new Error('aborted')) : resolve({ exitCode: code }),
      )
    }),
}

async function running(command: string) {
  const cwd = await tempDir()
  const clock = createTestClock()
  const stop = new AbortController()
  const done = gentleBash(local, clock).exec(command, cwd, { onData: () => undefined, signal: stop.signal })
  const ended = done.then(
    ({ exitCode }) => exitCode,
    (error: unknown) => String(error),
  )
  await vi.waitFor(() => expect(existsSync(join(cwd, 'ready'))).toBe(true), { timeout: 10_000, interval: 10 })
  return { cwd, clock, stop, ended }
}

verifies(
  ['3/budget-requests-sigterm'],
  'a command is asked to end, and killed when it does not',
  async () => {
    const polite = await running(`trap 'echo told > told; exit 0' TERM; echo > ready; sleep 60 & wait`)
    polite.stop.abort()
    expect(await polite.ended).toBe('Error: aborted')
    expect(readFileSync(join(polite.cwd, 'told'), 'utf8')).toBe('told\n')

    const deaf = await running(`trap '' TERM; echo > ready; for turn in $(seq 600); do sleep 0.1; done`)
    deaf.stop.abort()
    await deaf.clock.untilSleepers(1)
    await deaf.clock.advance(2_000)
    expect(await deaf.ended).toBe('Error: aborted')
  },
)
