import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { fixtureProgram } from '../../../../test/support/fixture-program.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { moment, signalGroup, startLeash, untilAfter } from '../../src/kit/index.ts'

/** As the system sees it: `T` stands still. */
function stateOf(pid: number): string {
  return /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? ''
}

const hasTable = existsSync('/proc/self/stat')
const { signal } = new AbortController()

describe.runIf(hasTable)('a leash', () => {
  verifies(
    ['leash/frozen', 'leash/thawed'],
    'stops the groups on it when its time is over, holds who asks, and lets both go on when there is more',
    async () => {
      // Not a shell: one that stands still while it starts a program is shown as waiting for a disk.
      const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
      const pid = child.pid ?? 0
      onTestFinished(() => void signalGroup(pid, 'SIGKILL'))
      const file = join(await tempDir(), 'leash')
      const tooLong = vi.fn()
      const leash = startLeash({
        until: untilAfter(moment(), 300),
        file,
        longestStandMs: 2_000,
        onTooLong: tooLong,
      })
      onTestFinished(() => leash.close())
      leash.hold([pid])
      await leash.fresh(signal)
      expect(stateOf(pid)).not.toBe('T')
      await vi.waitFor(() => expect(stateOf(pid)).toBe('T'), { timeout: 5_000, interval: 20 })
      let isFresh = false
      const held = leash.fresh(signal).then(() => {
        isFresh = true
      })
      leash.hold([pid])
      expect(isFresh).toBe(false)
      leash.extend(untilAfter(moment(), 60_000))
      await held
      await vi.waitFor(() => expect(stateOf(pid)).not.toBe('T'), { timeout: 5_000, interval: 20 })
      expect(tooLong).not.toHaveBeenCalled()
      // One clock is enough: the other stands while a machine sleeps.
      const { monotonicMs, bootMs } = moment()
      leash.extend({ monotonicMs: monotonicMs + 60_000, bootMs: bootMs - 1_000 })
      await vi.waitFor(() => expect(stateOf(pid)).toBe('T'), { timeout: 5_000, interval: 20 })
      await vi.waitFor(() => expect(tooLong).toHaveBeenCalled(), { timeout: 10_000 })
    },
    30_000,
  )

  verifies(
    ['leash/frozen'],
    'holds also when the process that has it stands still itself',
    async () => {
      const program = await fixtureProgram(new URL('./fixtures/on-leash.ts', import.meta.url))
      const file = join(await tempDir(), 'leash')
      const owner = spawn(process.execPath, [program, file, '2000'], { stdio: ['ignore', 'pipe', 'inherit'] })
      const pid = await new Promise<number>(resolve =>
        owner.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString()))),
      )
      onTestFinished(() => {
        owner.kill('SIGKILL')
        signalGroup(pid, 'SIGKILL')
      })
      owner.kill('SIGSTOP')
      expect(stateOf(pid)).not.toBe('T')
      await vi.waitFor(() => expect(stateOf(pid)).toBe('T'), { timeout: 10_000, interval: 50 })
      expect(stateOf(owner.pid ?? 0)).toBe('T')
    },
    30_000,
  )
})
