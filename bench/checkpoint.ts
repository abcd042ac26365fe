import { execFile } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type CheckpointStore, openCheckpoints } from '../packages/runtime/src/checkpoint/index.ts'
import { systemClock } from '../packages/runtime/src/kit/index.ts'
import { createSelection, type Selection } from '../packages/runtime/src/tree/index.ts'
import { atMost, type Figure, interleaved, seconds } from './measure.ts'

const later = promisify(execFile)

/** Checkpoints and going back to them against plain git doing the same to the same files (goals P7 and P8). */
export async function checkpointFigures(): Promise<readonly Figure[]> {
  const base = await mkdtemp(join(tmpdir(), 'weave-bench-'))
  try {
    const small = await createPair(join(base, 'small'), 10_000)
    const changed = await interleaved(11, small.git.commit(100), small.ours.commit(100))
    const unchanged = await interleaved(15, small.git.commit(0), small.ours.commit(0))
    const back = await interleaved(9, await small.git.rollback(1_000), await small.ours.rollback(1_000))
    await small.ours.store.close()
    const large = await createPair(join(base, 'large'), 100_000)
    const changedOfMany = await interleaved(7, large.git.commit(100), large.ours.commit(100))
    await large.ours.store.close()
    const unit = 'ms'
    return [
      {
        id: 'P7 changed',
        what: 'checkpoint, 100 of 10,000 files changed',
        unit,
        ...changed,
        goal: atMost(0.45),
      },
      {
        id: 'P7 many',
        what: 'checkpoint, 100 of 100,000 changed',
        unit,
        ...changedOfMany,
        goal: atMost(0.5),
      },
      { id: 'P7 nothing', what: 'checkpoint, none of 10,000 changed', unit, ...unchanged, goal: atMost(0.4) },
      { id: 'P8', what: 'files of a rollback, 1,000 of 10,000', unit, ...back, goal: atMost(0.7) },
    ]
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

/** Two equal work trees, each with its own history: one for git, one for us. */
async function createPair(base: string, files: number) {
  const trees = [createTree(join(base, 'git'), files), createTree(join(base, 'ours'), files)] as const
  const git = await createGit(trees[0], join(base, 'git-store'))
  const ours = await createOurs(trees[1], join(base, 'our-store'))
  // Twice, more than a second apart: then the times of the files can be trusted, by git and by us.
  for (let round = 0; round < 3; round++) {
    await git.commit(0)()
    await ours.commit(0)()
    await systemClock.sleep(1_100)
  }
  return { git, ours }
}

interface Tree {
  readonly path: string
  /** Makes so many files different from what they were, spread over the whole tree. */
  edit(count: number): void
}

const perFolder = 50

export function createTree(path: string, files: number): Tree {
  const fileAt = (index: number) =>
    join(path, `d${Math.floor(index / 1_000)}`, folderOf(index), `file-${index}.txt`)
  const folderOf = (index: number) => `s${Math.floor(index / perFolder) % 20}`
  for (let index = 0; index < files; index++) {
    if (index % perFolder === 0) mkdirSync(join(fileAt(index), '..'), { recursive: true })
    writeFileSync(
      fileAt(index),
      `file ${index}\n${'some text of an ordinary file '.repeat(30 + (index % 50))}`,
    )
  }
  let turn = 0
  return {
    path,
    edit(count) {
      turn++
      for (let edited = 0; edited < count; edited++)
        appendFileSync(fileAt((turn + edited * Math.floor(files / count)) % files), `edit ${turn}\n`)
    },
  }
}

export async function createGit(tree: Tree, gitDir: string) {
  const identity = {
    GIT_AUTHOR_NAME: 'x',
    GIT_AUTHOR_EMAIL: 'x',
    GIT_COMMITTER_NAME: 'x',
    GIT_COMMITTER_EMAIL: 'x',
  }
  const env = {
    ...process.env,
    ...identity,
    GIT_DIR: gitDir,
    GIT_WORK_TREE: tree.path,
    GIT_CONFIG_GLOBAL: '/dev/null',
  }
  const shell = async (command: string) =>
    (await later('sh', ['-c', command], { env, cwd: tree.path })).stdout
  const commit = 'git add -A && git commit -q --allow-empty -m x'
  await shell('git init -q && git config gc.auto 0')
  return {
    commit: (edits: number) => async () => {
      tree.edit(edits)
      await aWhile()
      return milliseconds(() => shell(commit))
    },
    async rollback(edits: number) {
      const before = (await shell('git rev-parse HEAD')).trim()
      tree.edit(edits)
      await shell(commit)
      const after = (await shell('git rev-parse HEAD')).trim()
      let target = before
      return async () => {
        const to = target
        target = to === before ? after : before
        await aWhile()
        return milliseconds(() => shell(`git checkout -q ${to}`))
      }
    },
  }
}

async function createOurs(tree: Tree, gitDir: string) {
  const environment = process.env
  const opened = await openCheckpoints({ gitDir, workTree: tree.path, clock: systemClock, environment })
  if (!opened.ok) throw new Error(opened.message)
  const { store } = opened
  const created = createSelection([['**']])
  if (!created.ok) throw new Error(created.message)
  const { selection } = created
  return {
    store,
    commit: (edits: number) => async () => {
      tree.edit(edits)
      await aWhile()
      return milliseconds(() => create(store, selection))
    },
    async rollback(edits: number) {
      const before = await create(store, selection)
      tree.edit(edits)
      const after = await create(store, selection)
      let target = before
      return async () => {
        const to = target
        target = to === before ? after : before
        // As after the end of a codon: the files are known.
        await aWhile()
        await create(store, selection)
        await aWhile()
        return milliseconds(() => restore(store, selection, to))
      }
    },
  }
}

async function create(store: CheckpointStore, selection: Selection): Promise<string> {
  const made = await store.create({
    type: 'completed',
    runId: 'run',
    codonId: 'codon',
    codonName: 'Codon',
    status: 'completed',
    selection,
  })
  if (!made.ok) throw new Error(made.message)
  return made.sha
}

async function restore(store: CheckpointStore, selection: Selection, to: string): Promise<void> {
  const planned = await store.planRestore({ to, selection })
  if (!planned.ok) throw new Error(planned.message)
  const result = await store.performRestore(planned.plan)
  if (!result.ok) throw new Error(result.message)
}

/** Between two checkpoints an agent works: that takes a while, and nobody waits for what is done in it. */
async function aWhile(): Promise<void> {
  await systemClock.sleep(500)
}

async function milliseconds(body: () => unknown): Promise<number> {
  return (await seconds(body)) * 1000
}
