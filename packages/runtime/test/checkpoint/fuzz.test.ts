import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { proofSeed, tally } from '../../../../test/support/proof.ts'
import { sampleOf } from '../../../../test/support/sampled.ts'
import { createDisturber } from './disturb.ts'
import {
  checkpointManifest,
  directoriesOf,
  type Manifest,
  manifestOf,
  selected,
  unselected,
} from './manifest.ts'
import { selectionOf } from './requests.ts'
import { openScene } from './scene.ts'

/** `WEAVE_PROOF=1`: the whole proof. `WEAVE_PROOF_SEED` repeats one. */
const rounds = { whole: 500, atLeast: 12 }
const seed = proofSeed ?? Math.floor(Math.random() * 2 ** 31)

const patterns = ['work/', '*.md', '!private.md', 'any/*']
const selection = selectionOf(patterns)

interface Moment {
  readonly sha: string
  readonly manifest: Manifest
}

/** Half of the rounds with so many files that git looks for us. */
for (const bulk of [0, 1_020]) {
  verifies(
    ['d7/rollback-restores', 'd7/rollback-leaves-other-files', 'd7/deletions-recorded'],
    `checkpoints equal the disk and rollbacks bring it back, after random changes to ${bulk} files and more (seed ${seed})`,
    async () => {
      const scene = await openScene({ patterns, inMemory: bulk === 0 })
      const disturb = createDisturber(scene.workTree, seed + bulk)
      for (let index = 0; index < bulk; index++) scene.write(`work/bulk/${index % 10}/${index}`, `${index}`)
      const moments: Moment[] = []
      for (const round of sampleOf(rounds)) {
        disturb.change(1 + disturb.below(12))
        const manifest = selected(manifestOf(scene.workTree), selection)
        const sha = await scene.create()
        expect(checkpointManifest(scene, sha), `checkpoint of round ${round}`).toEqual(manifest)
        moments.push({ sha, manifest })
        if (disturb.below(3) > 0) continue
        disturb.change(disturb.below(6))
        await rollBack(scene, disturb.pick(moments), disturb.below(2) === 0)
        if (disturb.below(8) === 0) await scene.store.pack()
      }
      expect(await scene.store.check()).toEqual({ ok: true, faults: [] })
      tally('checkpoints and rollbacks of random changes', moments.length)
      for (const { sha } of moments.slice(-20)) expect(await scene.store.isComplete(sha)).toBe(true)
    },
    2_000_000,
  )
}

async function rollBack(
  scene: Awaited<ReturnType<typeof openScene>>,
  { sha, manifest }: Moment,
  thenUndo: boolean,
): Promise<void> {
  const before = manifestOf(scene.workTree)
  const directories = directoriesOf(scene.workTree)
  const others = unselected(before, selection)
  const safety = await scene.safety()
  const moved = await scene.restore(sha)
  const after = manifestOf(scene.workTree)
  const away = new Map(moved.map(({ from, to }) => [latin1(from), latin1(to)]))
  expect(withoutAsides(selected(after, selection), away), 'the selected files').toEqual(manifest)
  expect(placesOf(others, away, after), 'what was never checkpointed').toEqual([...others.values()])
  if (!thenUndo) return
  const undoMoves = await scene.restore(safety, sha)
  const undone = manifestOf(scene.workTree)
  expect(undoMoves).toEqual([])
  expect(withoutAsides(selected(undone, selection), away), 'undone').toEqual(selected(before, selection))
  if (away.size > 0) return
  // Nobody remembers a directory that was empty before.
  const leftBehind = directoriesOf(scene.workTree).filter(path => !directories.includes(path))
  expect(leftBehind, 'directories').toEqual([])
}

/** What was moved aside may itself have a name that is selected from now on. */
function withoutAsides(manifest: Manifest, away: ReadonlyMap<string, string>): Manifest {
  const asides = [...away.values()]
  return new Map(
    [...manifest].filter(([path]) => !asides.some(aside => path === aside || path.startsWith(`${aside}/`))),
  )
}

/** What is found of the files at their place, or where they were moved. */
function placesOf(
  others: Manifest,
  away: ReadonlyMap<string, string>,
  after: Manifest,
): readonly (string | undefined)[] {
  return [...others.keys()].map(path => {
    for (const [from, to] of away) {
      if (path === from || path.startsWith(`${from}/`)) return after.get(to + path.slice(from.length))
    }
    return after.get(path)
  })
}

function latin1(path: string): string {
  const parts = path.split(/([\uDC80-\uDCFF])/u)
  return parts
    .map((part, index) =>
      index % 2 === 0
        ? Buffer.from(part).toString('latin1')
        : String.fromCharCode(part.charCodeAt(0) - 0xdc00),
    )
    .join('')
}
