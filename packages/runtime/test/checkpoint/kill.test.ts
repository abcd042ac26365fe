import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { fixtureProgram } from '../../../../test/support/fixture-program.ts'
import { tally } from '../../../../test/support/proof.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { run } from '../../src/kit/index.ts'
import { checkpointManifest, directoriesOf, manifestOf, selected } from './manifest.ts'
import { selectionOf } from './requests.ts'
import { type Scene, sceneAt } from './scene.ts'

/** `WEAVE_PROOF=1`: the whole proof, otherwise a sample of it. */
const isProof = process.env['WEAVE_PROOF'] === '1'
const kills = isProof ? 200 : 4
const files = isProof ? 2_000 : 120
const patterns = ['work/', 'large']
const selection = selectionOf(patterns)

interface Attempt {
  readonly finished: boolean
  readonly said: string
}

async function killedAt(base: string, deadline: number, ...what: readonly string[]): Promise<Attempt> {
  const program = await fixtureProgram(new URL('./fixtures/checkpoint-and-die.ts', import.meta.url))
  const result = await run(process.execPath, [program, base, `${deadline}`, ...what], { env: process.env })
  if (result.signal !== 'SIGKILL' && result.code !== 0) throw new Error(result.stderr)
  return { finished: result.code === 0, said: result.stdout }
}

/** The name of the last checkpoint of the run, asked of the user's git. */
function tipOf(scene: Scene): string {
  return scene.git('rev-parse', 'refs/heads/run-run_1').toString().trim()
}

verifies(
  ['safety/I4'],
  'killed at any change on the disk while it takes a checkpoint: the store is whole, with all that was announced',
  async () => {
    const base = await tempDir({ inMemory: true })
    mkdirSync(join(base, 'agentRoot', 'work'), { recursive: true })
    const write = (path: string, content: string) => writeFileSync(join(base, 'agentRoot', path), content)
    write('work/first', '1')
    const scene = await sceneAt(base, { patterns })
    await scene.create()
    await scene.store.close()
    let died = 0
    for (let deadline = 1; ; deadline += isProof ? 1 : 3) {
      write('work/changing', `${deadline}`)
      write(`work/${deadline}`, `${deadline}`)
      if (deadline % 4 === 0) write('large', `${deadline}`.repeat(5_000_000))
      const before = tipOf(scene)
      const { finished, said } = await killedAt(base, deadline, 'create')
      const after = tipOf(scene)
      if (said !== '') expect(after).toBe(said)
      if (!finished) died++

      const store = await scene.reopen()
      expect(await store.check(), `killed at ${deadline}`).toEqual({ ok: true, faults: [] })
      expect(await store.isComplete(after)).toBe(true)
      if (after !== before) {
        expect(checkpointManifest(scene, after)).toEqual(selected(manifestOf(scene.workTree), selection))
        expect((await store.read(after))?.parent).toBe(before)
      }
      await store.close()
      if (finished) break
    }
    expect(died).toBeGreaterThan(isProof ? 12 : 4)
    tally('kills survived', died)
  },
  600_000,
)

verifies(
  ['safety/I5'],
  'killed anywhere in a restore: going on ends exactly after, going back exactly before, and nothing else is touched',
  async () => {
    const { base, target, safety, before, after, changes } = await prepare()
    let died = 0
    // Files are removed first, so there is most to see at the beginning.
    const early = isProof ? Array.from({ length: 40 }, (_, index) => index + 1) : [3, 8, 13]
    const spread = Array.from({ length: kills }, (_, index) => Math.floor((changes * (index + 0.5)) / kills))
    for (const [kill, deadline] of [...early, ...spread].entries()) {
      const copy = await copyOf(base)
      const { finished } = await killedAt(copy, deadline, 'restore', target)
      if (!finished) died++
      const scene = await sceneAt(copy, { patterns })
      expect(await scene.store.check()).toEqual({ ok: true, faults: [] })
      const goesOn = kill % 2 === 0
      await scene.restore(...((goesOn ? [target] : [safety, target]) as [string, string?]))
      expect(stateOf(scene.workTree), `killed at ${deadline} of ${changes}`).toEqual(goesOn ? after : before)
      await scene.store.close()
      rmSync(copy, { recursive: true })
    }
    expect(died).toBeGreaterThan((early.length + kills) * 0.9 - 1)
    tally('rollback kills', died)
  },
  1_200_000,
)

interface Prepared {
  readonly base: string
  readonly target: string
  readonly safety: string
  readonly before: unknown
  readonly after: unknown
  /** How many times a restore changes the disk, or a few more. */
  readonly changes: number
}

/** Two states of a work tree that differ in everything a restore can do. */
async function prepare(): Promise<Prepared> {
  const base = await tempDir({ inMemory: true })
  const workTree = join(base, 'agentRoot')
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(workTree, path)), { recursive: true })
    writeFileSync(join(workTree, path), content)
  }
  mkdirSync(join(workTree, 'empty/of/the/user'), { recursive: true })
  write('untracked', 'of the user')
  for (let index = 0; index < files; index++) write(`work/${index % 9}/${index}`, `target ${index}`)
  write('work/only/in/target', 'x')
  write('work/swap', 'a file')
  const scene = await sceneAt(base, { patterns })
  const target = await scene.create()
  const after = stateOf(workTree)

  for (let index = 0; index < files; index += 2)
    write(`work/${index % 9}/${index}`, `before, and longer ${index}`)
  for (let index = 1; index < files; index += 6) rmSync(join(workTree, `work/${index % 9}/${index}`))
  rmSync(join(workTree, 'work/only'), { recursive: true })
  rmSync(join(workTree, 'work/swap'))
  write('work/swap/now/a', 'directory')
  for (let index = 0; index < files / 10; index++) write(`work/new/${index % 5}/${index}`, 'x')
  const before = stateOf(workTree)
  const safety = await scene.safety()
  const { writes, removals, change, emptied } = await scene.plan(target)
  await scene.store.close()
  const changes = 3 * (writes.length - change.length) + 2 * change.length + removals.length + emptied.length
  return { base, target, safety, before, after, changes }
}

function stateOf(workTree: string): unknown {
  return { files: [...manifestOf(workTree)], directories: directoriesOf(workTree) }
}

async function copyOf(base: string): Promise<string> {
  const copy = join(await tempDir({ inMemory: true }), 'copy')
  cpSync(base, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}
