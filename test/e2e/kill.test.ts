import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHistory } from '../../packages/runtime/src/journal/index.ts'
import { launcher } from '../support/run-cli.ts'
import { tempDir } from '../support/temp-dir.ts'

/** How many times a run is killed; `WEAVE_PROOF_KILLS=200 npx vitest run test/e2e/kill.test.ts` for the whole proof. */
const kills = Number(process.env['WEAVE_PROOF_KILLS'] ?? 16)
/** Repeats a failure: `WEAVE_PROOF_SEED=<seed>`. */
const seed = Number(process.env['WEAVE_PROOF_SEED'] ?? 1)
const codons = Array.from({ length: 10 }, (_, at) => `part-${at}`)

test(
  `a run of ten codons killed at random ${kills} times always comes to its end, and no codon that was done runs again (seed ${seed})`,
  async () => {
    const base = await tempDir({ inMemory: true })
    const random = randomFrom(seed)
    const moments = Array.from({ length: kills }, () => 60 + random() * 700)
    let next = 0
    const worker = async (): Promise<void> => {
      for (let at = next++; at < kills; at = next++) await survive(join(base, String(at)), moments[at] ?? 0)
    }
    await Promise.all([worker(), worker()])
  },
  20_000 + kills * 4_000,
)

async function survive(dir: string, moment: number): Promise<void> {
  mkdirSync(dir)
  const hank = codons.map(id => ({
    id,
    name: id,
    model: 'sonnet',
    continuationMode: 'fresh',
    promptText: `Work on ${id}.`,
    checkpointedFiles: ['*.md'],
    rigSetup: [{ type: 'command', command: { run: `echo ${id} >> order.txt` } }],
  }))
  writeFileSync(join(dir, 'hank.json'), JSON.stringify({ $schema: 'x', hank }))
  await runOnce(dir, moment)
  // A second kill on the way, then to the end.
  await runOnce(dir, moment / 2)
  const last = await runOnce(dir)
  expect(last.code, `killed after ${moment} ms\n${last.output}`).toBe(0)
  expect(await completions(dir), `killed after ${moment} ms`).toEqual(codons)
}

function runOnce(
  dir: string,
  killAfter?: number,
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise(resolve => {
    const env = { PATH: process.env['PATH'], HOME: join(dir, 'home') }
    const child = spawn(process.execPath, [launcher, '--scripted'], {
      cwd: dir,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const output: Buffer[] = []
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk))
    const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter)
    child.on('close', code => {
      clearTimeout(timer)
      resolve({ code, output: Buffer.concat(output).toString('utf8') })
    })
  })
}

/** Every completion that any process ever recorded, in order. A kill may leave a directory that was not finished. */
async function completions(dir: string): Promise<readonly string[]> {
  const base = join(dir, 'home/.weave-executions')
  const all = await Promise.all(
    readdirSync(base).map(name => completionsIn(join(base, name, '.weave/journal'))),
  )
  return all.flat()
}

async function completionsIn(journal: string): Promise<readonly string[]> {
  const history = createHistory({ dir: journal })
  const ids: string[] = []
  for await (const page of history.pages()) {
    for (const stored of page.events) {
      const event = await history.event(stored)
      if (event?.type !== 'state.transition') continue
      const { transitionType, codonId = '', transition } = event.data
      if (transitionType === 'CodonTransitioned' && transition.data['to'] === 'completed') ids.push(codonId)
    }
  }
  return ids
}

function randomFrom(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
