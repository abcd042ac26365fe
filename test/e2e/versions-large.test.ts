import { spawn } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { createLineWriter } from '../../bench/long-journal.ts'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder, journalOf, rig } from '../support/hank-folder.ts'
import { isProof, tally } from '../support/proof.ts'
import { launcher } from '../support/weave-command.ts'

/** Forks and comparisons of executions that are large. */

const longest = isProof ? 1_800_000 : 180_000

describe('a fork of many files', () => {
  verifies(
    ['fork/disk'],
    'takes little more of the disk than its files',
    async () => {
      const files = isProof ? 10_000 : 1_000
      const each = `mkdir -p src/$d; for f in $(seq 100); do echo "$d $f" > src/$d/$f.txt; done`
      const make = rig(`for d in $(seq ${files / 100}); do ${each}; done`)
      const at = await hankFolder([codon('make', { ...make, checkpointedFiles: ['src/**', '*.md'] })])
      expect((await at.scripted('--headless')).status).toBe(0)
      const [source, other] = [at.execution(), at.path('other')]
      const forked = at.weave('fork', source, '--at', 'make', '-e', other)
      expect(forked.status, forked.stderr).toBe(0)
      const workspace = diskOf(join(source, 'agentRoot'))
      const more = diskOf(source, other) - diskOf(source)
      expect(readdirSync(join(other, 'agentRoot/src'))).toHaveLength(files / 100)
      expect(more / workspace).toBeLessThan(1.1)
      tally('files of a fork whose disk was counted', files)
    },
    longest,
  )
})

/** Bytes on the disk; what is linked counts once. */
function diskOf(...roots: readonly string[]): number {
  const seen = new Set<number>()
  let blocks = 0
  const visit = (path: string): void => {
    const stats = lstatSync(path)
    if (seen.has(stats.ino)) return
    seen.add(stats.ino)
    blocks += stats.blocks
    if (stats.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name))
  }
  for (const root of roots) visit(root)
  return blocks * 512
}

describe('a comparison of long executions', () => {
  verifies(
    ['compare/large'],
    'finds the one step in which they differ, in little time and memory',
    async () => {
      const events = isProof ? 1_000_000 : 20_000
      const at = await hankFolder([codon('one'), codon('two')])
      const sides = ['left', 'right'].map(name => at.path(name))
      for (const side of sides) {
        expect((await at.scripted('--headless', '--start-new', '-e', side)).status).toBe(0)
        stretch(side, events, turn => (side.endsWith('right') && turn === 1_234 ? 'otherwise' : 'the same'))
      }
      const { status, stdout, seconds, megabytes } = await measured(at.cwd, at.env, ['compare', ...sides])
      const compared = JSON.parse(stdout) as Compared
      expect(status).toBe(0)
      expect(compared.same).toBe(false)
      const [one] = compared.conversation.filter(({ codonId }) => codonId === 'one')
      expect(one).toMatchObject({ onlyLeft: 1, onlyRight: 1 })
      expect(one?.same).toBeGreaterThan(events / 3)
      expect(seconds).toBeLessThan(30)
      expect(megabytes).toBeLessThan(200)
      tally('events of each side compared', events)
    },
    longest,
  )
})

interface Compared {
  readonly same: boolean
  readonly conversation: readonly {
    readonly codonId: string
    readonly same: number
    readonly onlyLeft: number
    readonly onlyRight: number
  }[]
}

/** As if the agent of the first codon had gone on and on: its journal again, with many steps before that codon is over. */
function stretch(execution: string, events: number, words: (turn: number) => string): void {
  const before = journalOf(execution)
  const journal = join(execution, '.weave/journal')
  for (const name of readdirSync(journal)) if (name.endsWith('.jsonl')) rmSync(join(journal, name))
  rmSync(join(execution, '.weave/state.json'), { force: true })
  const writer = createLineWriter(journal)
  const end = before.findIndex(({ type }) => type === 'codon.completed')
  const codonId = 'one'
  for (const [at, { id, type, data }] of before.entries()) {
    for (let turn = 1; at === end && writer.count() < events; turn++) {
      writer.put('assistant.action', { codonId, action: 'message', content: `${turn} ${words(turn)}` })
      writer.put('tool.result', {
        codonId,
        toolName: 'Bash',
        toolUseId: `toolu_${String(turn).padStart(24, '0')}`,
        result: 'ok',
        truncated: false,
        originalLength: 2,
        executionTimeMs: 1,
        isError: false,
      })
    }
    writer.put(type, data, id)
  }
  writer.close()
}

interface Measured {
  readonly status: number | null
  readonly stdout: string
  /** From its start to its end. */
  readonly seconds: number
  /** At most, at any moment. */
  readonly megabytes: number
}

async function measured(
  cwd: string,
  env: Readonly<Record<string, string>>,
  words: readonly string[],
): Promise<Measured> {
  const began = performance.now()
  const child = spawn(process.execPath, [launcher, ...words, '--json'], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stdout = ''
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString('utf8')
  })
  let megabytes = 0
  // It only rises, so the last look tells what there was at most.
  const looking = setInterval(() => {
    megabytes = peakOf(child.pid ?? 0) ?? megabytes
  }, 20)
  const status = await new Promise<number | null>(resolve => child.on('close', resolve))
  clearInterval(looking)
  return { status, stdout, seconds: (performance.now() - began) / 1_000, megabytes }
}

/** Undefined when it has ended. */
function peakOf(pid: number): number | undefined {
  try {
    const [, peak] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return peak === undefined ? undefined : Number(peak) / 1024
  } catch {
    return undefined
  }
}
