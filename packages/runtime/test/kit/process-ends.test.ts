import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { findMarked, isAlive, start } from '../../src/kit/index.ts'
import { patience } from './fixture.ts'
import { newMarker } from './marked.ts'
import { ownerOf, wardenFile } from './owner-plan.ts'
import { leaderOf, membersOfTree, type TreeShape, treeShapes } from './process-trees.ts'

/** `WEAVE_PROOF=1` runs every cell of trees × ends by itself, several times, instead of all trees at once. */
const proof = process.env['WEAVE_PROOF'] === '1'
const graceMs = 500
const PATH = process.env['PATH']

interface Tree {
  readonly shape: TreeShape
  readonly program: ReturnType<typeof leaderOf>
  release(): void
  /** The ids of all that count, once they are there. */
  members(): Promise<readonly number[]>
}

async function treesIn(shapes: readonly TreeShape[]): Promise<readonly Tree[]> {
  const dir = await tempDir({ inMemory: true })
  return shapes.map((shape, index) => {
    const pids = join(dir, `${index}.pids`)
    const go = join(dir, `${index}.go`)
    writeFileSync(pids, '')
    const known = () => readFileSync(pids, 'utf8').split('\n').filter(Boolean).map(Number)
    // A stopped process would stay for ever after a test that failed.
    onTestFinished(() => known().filter(isAlive).forEach(kill))
    return {
      shape,
      program: leaderOf(shape, pids, go),
      release: () => writeFileSync(go, ''),
      members: () =>
        vi.waitFor(
          () => {
            const found = known()
            expect(found, shape.name).toHaveLength(membersOfTree)
            return found
          },
          { timeout: patience, interval: 20 },
        ),
    }
  })
}

const kill = (pid: number) => void process.kill(pid, 'SIGKILL')

type End = (tree: Tree) => Promise<void>

/** In this process: when `done` tells the end, nothing of the tree is left. */
const endByItself: End = async tree => {
  const met = new Set<number>()
  const own = (group: number) => {
    met.add(group)
    return () => undefined
  }
  const process = start(...tree.program, { marker: newMarker(), own, env: { PATH }, graceMs })
  const members = await tree.members()
  if (tree.shape.onlyByLooks) {
    await vi.waitFor(() => expect(members.every(pid => met.has(pid))).toBe(true), patience)
  }
  tree.release()
  expect(await process.done, tree.shape.name).toMatchObject({ outcome: 'exited', code: 0 })
  expect(members.filter(isAlive), tree.shape.name).toEqual([])
}

const abort: End = async tree => {
  const controller = new AbortController()
  const process = start(...tree.program, {
    marker: newMarker(),
    env: { PATH },
    graceMs,
    signal: controller.signal,
  })
  const members = await tree.members()
  controller.abort('enough')
  expect(await process.done, tree.shape.name).toMatchObject({ stopped: { reason: 'enough' } })
  expect(members.filter(isAlive), tree.shape.name).toEqual([])
}

/** In a process of its own that is ended by a signal it does not handle, with a warden. */
async function endOfOwner(trees: readonly Tree[], signal: NodeJS.Signals): Promise<void> {
  const marker = newMarker()
  const owner = await ownerOf({
    program: { command: process.execPath, args: [await wardenFile()] },
    marker,
    programs: trees.map(({ program }) => program),
  })
  const child = spawn(...owner, { stdio: 'ignore' })
  const members = (await Promise.all(trees.map(tree => tree.members()))).flat()
  child.kill(signal)
  await once(child, 'exit')
  const began = performance.now()
  const left = async () => [...members.filter(isAlive), ...(await findMarked(marker))]
  await vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: 10_000, interval: 50 })
  expect(performance.now() - began).toBeLessThan(10_000)
}

const ends: readonly (readonly [string, (trees: readonly Tree[]) => Promise<unknown>])[] = [
  ['its leader ends by itself', trees => Promise.all(trees.map(endByItself))],
  ['it is aborted', trees => Promise.all(trees.map(abort))],
  ['its owner dies of SIGKILL', trees => endOfOwner(trees, 'SIGKILL')],
  ['its owner dies of SIGTERM', trees => endOfOwner(trees, 'SIGTERM')],
]

interface Cell {
  readonly name: string
  readonly prove: () => Promise<unknown>
}

const cells = ends.flatMap(([when, end]) =>
  treeShapes.map(
    (shape): Cell => ({
      name: `of ${shape.name} when ${when}`,
      prove: async () => end(await treesIn([shape])),
    }),
  ),
)
const allAtOnce: Cell = {
  name: 'of a tree of any shape, however it ends',
  prove: () => Promise.all(ends.map(async ([, end]) => end(await treesIn(treeShapes)))),
}

for (const { name, prove } of proof ? cells : [allAtOnce]) {
  it(`nothing is left ${name}`, async () => {
    for (let turn = 0; turn < (proof ? 5 : 1); turn++) await prove()
  }, 120_000)
}
