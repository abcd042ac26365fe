import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { scriptedWeave } from '../support/scripted-program.ts'
import { tempDir } from '../support/temp-dir.ts'

const codon = (id: string, more: object = {}) => ({
  id,
  name: id,
  model: 'sonnet',
  continuationMode: 'fresh',
  promptText: `Work on ${id}.`,
  checkpointedFiles: ['*.md'],
  ...more,
})

/** The order in which the command asks the system for things, for the moments that no test can choose to cut the power at. */
describe('before something is told to be safe', () => {
  verifies(
    ['attack/archive-power-cut', 'attack/finished-power-cut', 'attack/rollback-power-cut'],
    'archived files are synced before their sources go, and all files before the end of a codon and of a rollback',
    async () => {
      const cwd = await tempDir()
      const rigSetup = [{ type: 'command', command: { run: 'mkdir n; echo only copy > n/u' } }]
      const hank = [codon('a', { rigSetup, archiveOnSuccess: ['n/**'] }), codon('b')]
      writeFileSync(join(cwd, 'hank.json'), JSON.stringify({ $schema: 'x', hank }))
      const calls = await traced(cwd, '--headless', '-y')
      const execution = join(
        cwd,
        'home/.weave-executions',
        readdirSync(join(cwd, 'home/.weave-executions'))[0] ?? '',
      )
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

      const back = await traced(cwd, 'rollback', 'a', '-y')
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
async function traced(cwd: string, ...words: readonly string[]): Promise<readonly string[]> {
  const trace = join(cwd, 'trace')
  const calls = 'trace=fsync,unlink,unlinkat,execve,write'
  const { status, stdout, stderr } = spawnSync(
    'strace',
    [
      '-f',
      '-qq',
      '-y',
      '-s',
      '300',
      '-e',
      calls,
      '-o',
      trace,
      process.execPath,
      await scriptedWeave(),
      ...words,
    ],
    { cwd, env: { PATH: process.env['PATH'], HOME: join(cwd, 'home') }, encoding: 'utf8' },
  )
  expect(status, `${stdout}\n${stderr}`).toBe(0)
  return readFileSync(trace, 'utf8').split('\n')
}
