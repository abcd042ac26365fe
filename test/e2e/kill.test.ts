import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect } from 'vitest'
import { createHistory } from '../../packages/runtime/src/journal/index.ts'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolder, hankFolderIn, rig } from '../support/hank-folder.ts'
import { proofSeed, tally } from '../support/proof.ts'
import { tempDir } from '../support/temp-dir.ts'
import { scriptedWeave } from '../support/weave-command.ts'

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
    const waiting = 'echo rig >> order.txt; echo rig is up; test -e "$HOME/go" || sleep 20'
    const at = await hankFolder([codon('a', { ...selected, ...rig(waiting) })])
    const run = await at.startScripted()
    await run.until('rig is up')
    await run.kill('SIGKILL')
    const manifest = at.execution('.weave/archive.json')
    writeFileSync(manifest, 'no manifest')
    expect((await runOnce(at)).code).toBe(1)
    rmSync(manifest)
    at.write({ 'home/go': '' })
    const last = await runOnce(at)
    expect(last.code, last.output).toBe(0)
    expect(workspaceOf(at).get('order.txt'), last.output).toBe('rig\n')
  },
)

type Files = ReadonlyMap<string, string>

/** Every codon adds a line to one file, so a codon that ran again without being taken back would show. */
async function runUndisturbed(dir: string): Promise<{ readonly files: Files; readonly duration: number }> {
  const at = prepare(dir)
  await scriptedWeave()
  const begun = performance.now()
  const { code, output } = await runOnce(at)
  const duration = performance.now() - begun
  expect(code, output).toBe(0)
  const files = workspaceOf(at)
  expect(files.get('order.txt')).toBe(codons.map(id => `${id}\n`).join(''))
  expect([...files.keys()]).toEqual(['late.txt', 'order.txt', ...codons.map(id => `${id}.md`)])
  expect(outputsOf(at)).toEqual(codons.map(id => `${id}.md`))
  return { files, duration }
}

/** Killed at a random moment of the run, and once more on the way to the end. */
async function survive(dir: string, moment: number, undisturbed: Files): Promise<void> {
  const at = prepare(dir)
  const first = await runOnce(at, moment)
  const second = await runOnce(at, moment / 2)
  const last = await runOnce(at)
  const context = `killed after ${moment} ms\n${[first, second, last].map(({ output }) => output).join('\n---\n')}`
  expect(last.code, context).toBe(0)
  expect(await completions(at), context).toEqual(codons)
  expect(workspaceOf(at), context).toEqual(undisturbed)
  expect(outputsOf(at), context).toEqual(codons.map(id => `${id}.md`))
  rmSync(dir, { recursive: true })
}

const selected = { checkpointedFiles: ['*.md', 'order.txt'] }

/** From here on a codon selects a file more. */
const isLate = (at: number): boolean => at >= 5

function prepare(dir: string): HankFolder {
  const hank = codons.map((id, at) =>
    codon(id, {
      checkpointedFiles: ['*.md', 'order.txt', ...(isLate(at) ? ['late.txt'] : [])],
      ...rig(`echo ${id} | tee -a order.txt ${isLate(at) ? 'late.txt' : ''}`),
      outputFiles: [{ copy: [`${id}.md`] }],
    }),
  )
  return hankFolderIn(dir, hank)
}

/** Of the execution that came to its end; a kill may have left a directory that was not finished. */
function workspaceOf(at: HankFolder): ReadonlyMap<string, string> {
  const roots = at.executions().map(dir => join(dir, 'agentRoot'))
  const root = roots.find(path => existsSync(join(path, 'order.txt'))) ?? ''
  const names = readdirSync(root).filter(name => name !== 'read_only_data_source')
  return new Map(names.sort().map(name => [name, readFileSync(join(root, name), 'utf8')]))
}

/** What was copied twice would have a second name. */
function outputsOf(at: HankFolder): readonly string[] {
  return readdirSync(at.path('weave-results')).sort()
}

async function runOnce(
  at: HankFolder,
  killAfter?: number,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const run = await at.startScripted()
  const timer = killAfter === undefined ? undefined : setTimeout(() => run.child.kill('SIGKILL'), killAfter)
  const code = await run.ended
  clearTimeout(timer)
  return { code, output: run.said() }
}

/** Every completion that any process ever recorded, in order. A kill may leave a directory that was not finished. */
async function completions(at: HankFolder): Promise<readonly string[]> {
  const all = await Promise.all(at.executions().map(dir => completionsIn(join(dir, '.weave/journal'))))
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
