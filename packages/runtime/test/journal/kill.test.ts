import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { fixtureProgram } from '../../../../test/support/fixture-program.ts'
import { isProof, tally } from '../../../../test/support/proof.ts'
import { eachNth } from '../../../../test/support/sampled.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { openTestJournal, readAll } from './open.ts'

interface Attempt {
  readonly signal: string | null
  readonly acknowledged: number
}

function appendUntilKilled(program: string, dir: string, point: string): Promise<Attempt> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, dir, point], { stdio: ['ignore', 'pipe', 'inherit'] })
    const output: Buffer[] = []
    child.stdout.on('data', chunk => output.push(chunk))
    child.on('error', reject)
    child.on('close', (_code, signal) => {
      const lines = Buffer.concat(output).toString('utf8').split('\n')
      resolve({ signal, acknowledged: Number(lines.at(-2) ?? 0) })
    })
  })
}

async function survives(program: string, dir: string, point: string): Promise<'killed' | 'finished'> {
  const { signal, acknowledged } = await appendUntilKilled(program, dir, point)
  const before = await readAll(dir)
  const seqs = before.events.map(event => event.seq)
  expect(seqs, point).toEqual(seqs.map((_, at) => at + 1))
  expect(seqs.length, point).toBeGreaterThanOrEqual(acknowledged)
  const journal = await openTestJournal(dir)
  const next = journal.append('info', { message: 'after the kill' })
  await journal.close()
  expect(next.seq, point).toBe(seqs.length + 1)
  expect((await readAll(dir)).events.length, point).toBe(seqs.length + 1)
  return signal === 'SIGKILL' ? 'killed' : 'finished'
}

verifies(
  ['d6/durable-transitions', 'd6/durable-checkpoints'],
  'killed before and in the middle of any write of a 200-event append: no acknowledged event is lost',
  async () => {
    const program = await fixtureProgram(new URL('./fixtures/append-and-die.ts', import.meta.url))
    const base = await tempDir({ inMemory: true })
    const { first, step } = eachNth(4)
    const sweep = async (how: string): Promise<number> => {
      for (let write = first + 1, kills = 0; ; write += step, kills++) {
        const dir = join(base, `${how}-${write}`)
        if ((await survives(program, dir, `${how}:${write}`)) === 'finished') return kills
      }
    }
    const kills = await Promise.all(['before', 'middle'].map(sweep))
    expect(Math.min(...kills)).toBeGreaterThanOrEqual(isProof ? 40 : 10)
    for (const count of kills) tally('kills at the writes of a journal', count)
  },
  120_000,
)
