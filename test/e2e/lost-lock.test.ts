import { spawn } from 'node:child_process'
import { cpSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { journalOf } from '../support/hank-folder.ts'
import { serversAtWork } from '../support/marked-processes.ts'
import { isProof, tally } from '../support/proof.ts'
import {
  ageLock,
  type Rehearsed,
  rehearsalPlace,
  traceWrites,
  usualSteps,
} from '../support/stopped-server.ts'
import { tempDir } from '../support/temp-dir.ts'

/** What makes a server lose its lock while it stands still. */
const losses = {
  /** It is silent for longer than a minute. A proof waits for that; otherwise its heartbeat is made old. */
  silent: async ({ lockFile }: Rehearsed) => {
    if (isProof) await delay(63_000)
    else ageLock(lockFile)
  },
  removed: async ({ lockFile }: Rehearsed) => rmSync(lockFile),
} as const

const longest = 240_000

/** Stops a server in the middle of its codon, lets another take over, and wakes the first while the second is at work. */
async function overtake(place: Rehearsed, how: keyof typeof losses) {
  const { dir: execution } = place
  const first = place.startRehearsal()
  await first.until('answered')
  const [firstId = ''] = serversAtWork(execution).keys()
  first.child.kill('SIGSTOP')
  await losses[how](place)
  const second = place.startRehearsal()
  await second.until('answered')
  first.child.kill('SIGCONT')
  const firstCode = await first.ended
  expect(await second.ended, second.said()).toBe(0)
  await vi.waitFor(() => expect(serversAtWork(execution).get(firstId)).toBeUndefined(), { timeout: 10_000 })
  const seqs = journalOf(execution).map(({ seq }) => seq)
  expect(seqs, 'one writer at a time').toEqual(seqs.map((_, at) => at + 1))
  return { first, firstCode, second }
}

describe('a server that lost its lock while it stood still', () => {
  verifies(
    ['attack/lost-lock-spares-successor', 'attack/lost-lock-writes-nothing', 'd14/lock-lost-ends'],
    'is ended by who takes over before that one writes; the successor goes on undisturbed to its end',
    async () => {
      const base = await tempDir()
      const count = isProof ? 50 : 2
      const atOnce = isProof ? 10 : 2
      let next = 0
      const worker = async (): Promise<void> => {
        for (let at = next++; at < count; at = next++) {
          const harness = at % 2 === 0 ? 'embedded' : 'sdk'
          const { first, firstCode } = await overtake(
            rehearsalPlace(join(base, String(at)), { harness }),
            'silent',
          )
          expect([firstCode, first.child.signalCode]).toEqual([null, 'SIGKILL'])
          tally('servers overtaken', 1)
        }
      }
      await Promise.all(Array.from({ length: atOnce }, worker))
    },
    isProof ? 3_600_000 : longest,
  )

  verifies(
    ['attack/lost-lock-writes-nothing', 'attack/lost-lock-spares-successor', 'd14/lock-lost-ends'],
    'ends by itself when a person removed its lock: it says why, with code 1, and its agents go, not those of its successor',
    async () => {
      const base = await tempDir()
      const run = async (harness: 'embedded' | 'sdk'): Promise<void> => {
        const { first, firstCode } = await overtake(
          rehearsalPlace(join(base, harness), { harness }),
          'removed',
        )
        expect(firstCode, first.said()).toBe(1)
        expect(first.said()).toMatch(/does not hold .* any more: .*lock\.json was taken over or removed/)
        expect(first.said()).not.toMatch(/\n\s+at /)
      }
      await Promise.all(isProof ? [run('embedded'), run('sdk')] : [run('sdk')])
    },
    longest,
  )

  verifies(
    ['attack/lost-lock-spares-successor'],
    'sweeps after its agents by its own mark: a process of another server in the same execution lives on',
    async () => {
      const base = await tempDir()
      const run = async (harness: 'embedded' | 'sdk'): Promise<void> => {
        const place = rehearsalPlace(join(base, harness), { harness, steps: 2 })
        const env = { WEAVE_EXECUTION_ID: place.dir, WEAVE_SERVER_ID: 'srv_another' }
        const other = spawn('sleep', ['600'], { env, stdio: 'ignore', detached: true })
        onTestFinished(() => void other.kill('SIGKILL'))
        const first = place.startRehearsal()
        expect(await first.ended, first.said()).toBe(0)
        expect([other.exitCode, other.signalCode], harness).toEqual([null, null])
      }
      await Promise.all([run('embedded'), run('sdk')])
    },
    longest,
  )

  verifies(
    ['attack/lost-lock-writes-nothing'],
    'changes no file of the execution any more, as the system sees it',
    async () => {
      const place = rehearsalPlace(await tempDir(), { harness: 'light' })
      const first = place.startRehearsal()
      await first.until('answered')
      first.child.kill('SIGSTOP')
      rmSync(place.lockFile)
      const trace = await traceWrites(first.child.pid ?? 0, join(place.dir, '.weave'))
      first.child.kill('SIGCONT')
      expect(await first.ended, first.said()).toBe(1)
      expect(await trace.ended).toEqual([])
    },
    longest,
  )
})

describe('an execution that is moved or copied under a server', () => {
  verifies(
    ['d14/lock-lost-ends'],
    'moved: the server ends at its next write, and a start at the new place goes on',
    async () => {
      const base = await tempDir()
      const place = rehearsalPlace(base, { harness: 'light', steps: 10 })
      const first = place.startRehearsal()
      await first.until('answered')
      const moved = join(base, 'moved')
      renameSync(place.dir, moved)
      expect(await first.ended, first.said()).toBe(1)
      const second = place.rehearse('.', '--headless', '--port', '0', '-y', '-e', moved)
      expect(second.status, second.stderr).toBe(0)
      const seqs = journalOf(moved).map(({ seq }) => seq)
      expect(seqs).toEqual(seqs.map((_, at) => at + 1))
    },
    longest,
  )

  verifies(
    ['d14/lock-lost-ends'],
    'copied: the server goes on where it is, also when the lock of the copy is taken over',
    async () => {
      const base = await tempDir()
      const place = rehearsalPlace(base, { harness: 'light' })
      const first = place.startRehearsal()
      await first.until('answered')
      const copy = join(base, 'copy')
      cpSync(place.dir, copy, { recursive: true, verbatimSymlinks: true })
      ageLock(join(copy, '.weave/lock.json'))
      const second = place.weave('rollback', '-e', copy, '-y', 'start')
      expect(second.stderr + second.stdout).not.toContain('A run is going on')
      expect(await first.ended, first.said()).toBe(0)
      expect(readFileSync(join(place.dir, 'agentRoot/done.txt'), 'utf8')).toContain(String(usualSteps - 1))
    },
    longest,
  )
})
