import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import {
  type CheckpointStore,
  type CreateRequest,
  openCheckpoints,
  type RestorePlan,
} from '../../src/checkpoint/index.ts'
import { type Clock, systemClock } from '../../src/kit/index.ts'
import { ordinary, selectionOf } from './requests.ts'

/** A work tree and a store for it, on the disk, gone when the test ends. */
export interface Scene {
  readonly workTree: string
  readonly gitDir: string
  readonly store: CheckpointStore
  write(path: string, content: string | Buffer, mode?: number): void
  link(path: string, target: string): void
  /** Another store on the same directories, as after a restart. */
  reopen(): Promise<CheckpointStore>
  /** A checkpoint of `selection`; fails the test when it cannot be made. */
  create(request?: Partial<CreateRequest>): Promise<string>
  safety(): Promise<string>
  plan(to: string, since?: string): Promise<RestorePlan>
  /** Plans and performs. Returns what was moved aside. */
  restore(to: string, since?: string): Promise<readonly { readonly from: string; readonly to: string }[]>
  /** The user's git on the store, which knows nothing of our code. */
  git(...args: readonly string[]): Buffer
}

export interface SceneOptions {
  readonly patterns?: readonly string[]
  readonly clock?: Clock
  readonly inMemory?: boolean
  readonly environment?: Readonly<Record<string, string | undefined>>
}

export async function openScene(options: SceneOptions = {}): Promise<Scene> {
  const base = await tempDir(options)
  const workTree = join(base, 'agentRoot')
  mkdirSync(workTree)
  return sceneAt(base, options)
}

/** Of directories that are there already. */
export async function sceneAt(base: string, options: SceneOptions = {}): Promise<Scene> {
  const workTree = join(base, 'agentRoot')
  const gitDir = join(base, 'checkpoints')
  const selection = selectionOf(options.patterns ?? ['**'])
  const { clock = systemClock, environment = process.env } = options
  const reopen = async () => {
    const opened = await openCheckpoints({ gitDir, workTree, clock, environment })
    if (!opened.ok) throw new Error(`${opened.message}. ${opened.cure}`)
    onTestFinished(() => opened.store.close())
    return opened.store
  }
  const store = await reopen()

  async function plan(to: string, since?: string): Promise<RestorePlan> {
    const planned = await store.planRestore({ to, selection, since })
    if (!planned.ok) throw new Error(planned.message)
    return planned.plan
  }

  return {
    workTree,
    gitDir,
    store,
    reopen,
    plan,
    write(path, content, mode) {
      mkdirSync(dirname(join(workTree, path)), { recursive: true })
      writeFileSync(join(workTree, path), content, mode === undefined ? {} : { mode })
    },
    link(path, target) {
      mkdirSync(dirname(join(workTree, path)), { recursive: true })
      symlinkSync(target, join(workTree, path))
    },
    async create(request = {}) {
      const created = await store.create({ ...ordinary, selection, ...request })
      if (!created.ok) throw new Error(created.message)
      return created.sha
    },
    async safety() {
      const created = await store.safety({ ...ordinary, selection })
      if (!created.ok) throw new Error(created.message)
      return created.sha
    },
    async restore(to, since) {
      const result = await store.performRestore(await plan(to, since))
      if (!result.ok) throw new Error(result.message)
      return result.movedAside
    },
    git: (...args) =>
      execFileSync('git', [`--git-dir=${gitDir}`, ...args], { maxBuffer: 1 << 30, stdio: 'pipe' }),
  }
}
