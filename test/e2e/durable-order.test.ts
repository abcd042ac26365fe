import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolder, rig } from '../support/hank-folder.ts'
import { scriptedWeave } from '../support/weave-command.ts'

/** The order in which the command asks the system for things, for the moments that no test can choose to cut the power at. */
describe('before something is told to be safe', () => {
  verifies(
    ['attack/archive-power-cut', 'attack/finished-power-cut', 'attack/rollback-power-cut'],
    'archived files are synced before their sources go, and all files before the end of a codon and of a rollback',
    async () => {
      const archived = { ...rig('mkdir n; echo only copy > n/u'), archiveOnSuccess: ['n/**'] }
      const at = await hankFolder([codon('a', archived), codon('b')])
      const calls = await traced(at, '--headless', '-y')
      const execution = at.execution()
      const firstAt = (from: number, ...words: readonly string[]) =>
        calls.findIndex((call, at) => at >= from && words.every(word => call.includes(word)))
      const synced = firstAt(0, 'fsync(', `${execution}/rigArchive/a/n/u>`)
      const gone = firstAt(0, 'unlink', '/u"')
      expect(synced).toBeGreaterThan(-1)
      expect(gone).toBeGreaterThan(synced)
      const firstEnd = firstAt(gone, 'execve(', '"sync", "-f"', `${execution}/agentRoot`)
      const secondEnd = firstAt(firstEnd + 1, 'execve(', '"sync", "-f"', `${execution}/agentRoot`)
      expect(firstEnd).toBeGreaterThan(gone)
      expect(secondEnd).toBeGreaterThan(firstEnd)
      expect(calls.findIndex(call => call.includes('codon.completed'))).toBeGreaterThan(firstEnd)

      const back = await traced(at, 'rollback', 'a', '-y')
      const intentGone = back.findIndex(call => call.includes('unlink') && call.includes('rollback.json'))
      const filesGone = back.findIndex(call => call.includes('unlink') && call.includes('/b.md"'))
      const sync = back.findIndex(call => call.includes('"sync", "-f"') && call.includes('agentRoot'))
      expect(filesGone).toBeGreaterThan(-1)
      expect(sync).toBeGreaterThan(filesGone)
      expect(intentGone).toBeGreaterThan(sync)
    },
    120_000,
  )
})

/** The calls in their order, with the paths of descriptors. */
async function traced({ cwd, env }: HankFolder, ...words: readonly string[]): Promise<readonly string[]> {
  const trace = join(cwd, 'trace')
  const calls = 'trace=fsync,unlink,unlinkat,execve,write'
  const options = ['-f', '-qq', '-y', '-s', '300', '-e', calls, '-o', trace]
  const { status, stdout, stderr } = spawnSync(
    'strace',
    [...options, process.execPath, await scriptedWeave(), ...words],
    { cwd, env: { PATH: process.env['PATH'], ...env }, encoding: 'utf8' },
  )
  expect(status, `${stdout}\n${stderr}`).toBe(0)
  return readFileSync(trace, 'utf8').split('\n')
}
