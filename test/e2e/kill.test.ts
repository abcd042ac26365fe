import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect } from 'vitest'
import { createHistory } from '../../packages/runtime/src/journal/index.ts'
import { verifies } from '../conformance/verifies.ts'
import { proofSeed, tally } from '../support/proof.ts'
import { startCommand } from '../support/running-command.ts'
import { scriptedWeave } from '../support/scripted-program.ts'
import { tempDir } from '../support/temp-dir.ts'

beforeAll(scriptedWeave, 120_000)

/** How many times a run is killed; `WEAVE_PROOF_KILLS=200 npx vitest run test/e2e/kill.test.ts` for the whole proof. */
const kills = Number(process.env['WEAVE_PROOF_KILLS'] ?? 8)
/** Repeats a failure: `WEAVE_PROOF_SEED=<seed>`. */
const seed = proofSeed ?? 1
const codons = Array.from({ length: 10 }, (_, at) => `part-${at}`)

verifies(
  [
    'd4/start-reruns-interrupted-codon',
    'd4/start-rolls-back-interrupted-codon',
    'd4/start-marks-crashed-run',
  ],
  `a run of ten codons killed at random ${kills} times always comes to its end: no codon that was done runs again, and the files are those of an undisturbed run (seed ${seed})`,
  async () => {
    const base = await tempDir({ inMemory: true })
    const undisturbed = await runUndisturbed(join(base, 'undisturbed'))
    const random = randomFrom(seed)
    const moments = Array.from({ length: kills }, () => 60 + random() * undisturbed.duration)
    let next = 0
    const worker = async (): Promise<void> => {
      for (let at = next++; at < kills; at = next++)
        await survive(join(base, String(at)), moments[at] ?? 0, undisturbed.files)
    }
    await Promise.all([worker(), worker()])
    tally('kills survived', 2 * kills)
  },
  60_000 + kills * 8_000,
)

verifies(
  ['d4/start-rolls-back-interrupted-codon'],
  'a start that ends after it has noted the crash leaves the mending to the next one',
  async () => {
    const dir = join(await tempDir(), 'place')
    mkdirSync(dir)
    const rigSetup = [
      {
        type: 'command',
        command: { run: 'echo rig >> order.txt; echo rig is up; test -e "$HOME/go" || sleep 20' },
      },
    ]
    writeFileSync(
      join(dir, 'hank.json'),
      JSON.stringify({ $schema: 'x', hank: [{ ...codonOf('a'), rigSetup }] }),
    )
    const home = join(dir, 'home')
    const run = startCommand(await scriptedWeave(), [], { cwd: dir, env: { HOME: home } })
    await run.until('rig is up')
    await run.kill('SIGKILL')
    const [name = ''] = readdirSync(join(home, '.weave-executions'))
    const manifest = join(home, '.weave-executions', name, '.weave/archive.json')
    writeFileSync(manifest, 'no manifest')
    expect((await runOnce(dir)).code).toBe(1)
    rmSync(manifest)
    writeFileSync(join(home, 'go'), '')
    const last = await runOnce(dir)
    expect(last.code, last.output).toBe(0)
    expect(workspaceOf(dir).get('order.txt'), last.output).toBe('rig\n')
  },
)

type Files = ReadonlyMap<string, string>

/** Every codon adds a line to one file, so a codon that ran again without being taken back would show. */
async function runUndisturbed(dir: string): Promise<{ readonly files: Files; readonly duration: number }> {
  prepare(dir)
  await scriptedWeave()
  const begun = performance.now()
  const { code, output } = await runOnce(dir)
  const duration = performance.now() - begun
  expect(code, output).toBe(0)
  const files = workspaceOf(dir)
  expect(files.get('order.txt')).toBe(codons.map(id => `${id}\n`).join(''))
  expect([...files.keys()]).toEqual(['late.txt', 'order.txt', ...codons.map(id => `${id}.md`)])
  expect(outputsOf(dir)).toEqual(codons.map(id => `${id}.md`))
  return { files, duration }
}

/** Killed at a random moment of the run, and once more on the way to the end. */
async function survive(dir: string, moment: number, undisturbed: Files): Promise<void> {
  prepare(dir)
  const first = await runOnce(dir, moment)
  const second = await runOnce(dir, moment / 2)
  const last = await runOnce(dir)
  const context = `killed after ${moment} ms\n${[first, second, last].map(({ output }) => output).join('\n---\n')}`
  expect(last.code, context).toBe(0)
  expect(await completions(dir), context).toEqual(codons)
  expect(workspaceOf(dir), context).toEqual(undisturbed)
  expect(outputsOf(dir), context).toEqual(codons.map(id => `${id}.md`))
  rmSync(dir, { recursive: true })
}

function codonOf(id: string) {
  return {
    id,
    name: id,
    model: 'sonnet',
    continuationMode: 'fresh',
    promptText: `Work on ${id}.`,
    checkpointedFiles: ['*.md', 'order.txt'],
  }
}

/** From here on a codon selects a file more. */
const isLate = (at: number): boolean => at >= 5

function prepare(dir: string): void {
  mkdirSync(dir)
  const hank = codons.map((id, at) => ({
    ...codonOf(id),
    checkpointedFiles: ['*.md', 'order.txt', ...(isLate(at) ? ['late.txt'] : [])],
    rigSetup: [
      { type: 'command', command: { run: `echo ${id} | tee -a order.txt ${isLate(at) ? 'late.txt' : ''}` } },
    ],
    outputFiles: [{ copy: [`${id}.md`] }],
  }))
  writeFileSync(join(dir, 'hank.json'), JSON.stringify({ $schema: 'x', hank }))
}

/** Of the execution that came to its end; a kill may have left a directory that was not finished. */
function workspaceOf(dir: string): ReadonlyMap<string, string> {
  const base = join(dir, 'home/.weave-executions')
  const roots = readdirSync(base).map(name => join(base, name, 'agentRoot'))
  const root = roots.find(path => existsSync(join(path, 'order.txt'))) ?? ''
  const names = readdirSync(root).filter(name => name !== 'read_only_data_source')
  return new Map(names.sort().map(name => [name, readFileSync(join(root, name), 'utf8')]))
}

/** What was copied twice would have a second name. */
function outputsOf(dir: string): readonly string[] {
  return readdirSync(join(dir, 'weave-results')).sort()
}

async function runOnce(
  dir: string,
  killAfter?: number,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const run = startCommand(await scriptedWeave(), [], { cwd: dir, env: { HOME: join(dir, 'home') } })
  const timer = killAfter === undefined ? undefined : setTimeout(() => run.child.kill('SIGKILL'), killAfter)
  const code = await run.ended
  clearTimeout(timer)
  return { code, output: run.said() }
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
