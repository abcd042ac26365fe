import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FileNode } from '@weave/protocol'
import { onTestFinished } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createTestClock, type TestClock } from '../../../../test/support/test-clock.ts'
import { systemClock } from '../../src/kit/index.ts'
import type { FileUpdate } from '../../src/tree/content.ts'
import type { Listen } from '../../src/tree/directory-hints.ts'
import { createSelection, type Selection } from '../../src/tree/selection.ts'
import type { StatKey } from '../../src/tree/stat-key.ts'
import { type WatchOptions, type WorkspaceWatch, watchWorkspace } from '../../src/tree/watch.ts'
import type { WatchNote } from '../../src/tree/watch-scans.ts'

/** Of a file that was seen long after it changed. */
export const anyKey: StatKey = {
  size: 4,
  mtimeMs: 1_000,
  ctimeMs: 1_000,
  ino: 7,
  uid: 0,
  gid: 0,
  isRacy: false,
  isSettled: true,
}

export function selectionOf(...lists: readonly (readonly string[])[]): Selection {
  const result = createSelection(lists)
  if (!result.ok) throw new Error(result.message)
  return result.selection
}

type Files = Readonly<Record<string, string | Buffer>>

/** Writes files below a directory, and the directories they need. */
export async function fill(root: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
}

export interface Watched {
  readonly root: string
  /** A directory beside the workspace. */
  readonly outside: string
  readonly clock: TestClock
  readonly watch: WorkspaceWatch
  readonly updates: readonly FileUpdate[]
  readonly trees: readonly (readonly FileNode[])[]
  readonly notes: readonly WatchNote[]
  /** `created a/b`, in the order of telling; clears what it returns. */
  told(): readonly string[]
  /** `told`, once everything until now is told. */
  settled(): Promise<readonly string[]>
  /** Resolves when something is told; at once when something was. */
  untilTold(): Promise<void>
}

export interface Setup extends Partial<Omit<WatchOptions, 'agentRoot' | 'clock' | 'selection' | 'listen'>> {
  readonly files?: Files
  readonly patterns?: readonly string[]
  readonly listen?: Listen | 'to the system'
  /** The watch follows the real time; `clock` is not used. */
  readonly isRealTime?: boolean
  readonly inMemory?: boolean
}

/** A watched workspace on the real disk. The clock stands still, and nothing is heard between looks unless asked for. */
export async function watched(setup: Setup = {}): Promise<Watched> {
  const { files = {}, patterns = ['**'], listen, isRealTime = false, inMemory = false, ...options } = setup
  const clock = createTestClock()
  const base = await tempDir({ inMemory })
  const root = join(base, 'agentRoot')
  const outside = join(base, 'outside')
  await mkdir(root)
  await mkdir(outside)
  await fill(root, files)

  const updates: FileUpdate[] = []
  const trees: (readonly FileNode[])[] = []
  const notes: WatchNote[] = []
  const waiting: (() => void)[] = []
  let read = 0
  const watch = await watchWorkspace({
    agentRoot: root,
    selection: selectionOf(patterns),
    clock: isRealTime ? systemClock : clock,
    // As on a file system that counts time in coarse steps.
    now: () => (isRealTime ? systemClock : clock).now().getTime() - 30,
    ...(listen !== 'to the system' && { listen: listen ?? false }),
    onTree: tree => void trees.push(tree),
    onNote: note => void notes.push(note),
    ...options,
    onChange(update) {
      updates.push(update)
      for (const wake of waiting.splice(0)) wake()
      return options.onChange?.(update)
    },
  })
  onTestFinished(() => watch.close())

  function told(): readonly string[] {
    const fresh = updates.slice(read)
    read = updates.length
    return fresh.map(({ action, path }) => `${action} ${path}`)
  }

  return {
    root,
    outside,
    clock,
    watch,
    updates,
    trees,
    notes,
    told,
    async settled() {
      await watch.settle()
      return told()
    },
    untilTold: () =>
      new Promise(resolve => {
        if (updates.length > read) resolve()
        else waiting.push(resolve)
      }),
  }
}
