import { watch } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { errorCode } from '../kit/index.ts'

export interface DirectoryHintOptions {
  readonly root: string
  /** Called for each event. `isEntry`: something came or went; else only a file's content changed. Must not throw. */
  readonly onHint: (path: string, isEntry: boolean) => void
  /** The system refuses to watch more (EMFILE, ENOSPC, …). Called once. */
  readonly onRefusal: (code: string) => void
  readonly listen?: Listen | undefined
}

/** Asks the system to report what happens in a directory. Throws, or tells `onError` later, when it refuses. */
export type Listen = (directory: string, listener: DirectoryListener) => { close(): void }

export interface DirectoryListener {
  readonly onEvent: (type: string, name: string | null) => void
  readonly onError: (error: unknown) => void
}

export const listenToSystem: Listen = (directory, { onEvent, onError }) =>
  watch(directory, { persistent: false, recursive: watchesTrees }, onEvent).on('error', onError)

/** Each costs a descriptor or a kernel object; with more directories than this polling has to do. */
const mostWatched = 4_096
const watchesPerTurn = 64
/**
 * Linux has no recursive watching; Node imitates it with one watch per *file*, set in one go (553 ms for 10,000 files,
 * measured on Node 20) and also on what links point to. One watch per directory tells the same.
 */
const watchesTrees = process.platform !== 'linux'

export type DirectoryHints = ReturnType<typeof createDirectoryHints>

/**
 * Asks the system to say when something happens in directories. Only a hint, never the truth: events get lost silently
 * when there are many, watches run out, and some file systems have none.
 */
export function createDirectoryHints(options: DirectoryHintOptions) {
  const { root, onHint, onRefusal, listen = listenToSystem } = options
  const watchers = new Map<string, { readonly id: string; close(): void }>()
  let isComplete = false
  let refused = false
  let closed = false

  function refuse(error: unknown): void {
    const code = errorCode(error) ?? 'UNKNOWN'
    isComplete = false
    if (refused || closed || aboutOneDirectory.has(code)) return
    refused = true
    onRefusal(code)
  }

  function add(directory: string, id: string): boolean {
    try {
      const listening = listen(join(root, directory), {
        onEvent(type, name) {
          const isEntry = type === 'rename' || name === null || watchesTrees
          onHint(pathOf(directory, name ?? ''), isEntry)
        },
        onError(error) {
          drop(directory)
          refuse(error)
        },
      })
      watchers.set(directory, { id, close: () => listening.close() })
      return true
    } catch (error) {
      refuse(error)
      return false
    }
  }

  function drop(directory: string): void {
    watchers.get(directory)?.close()
    watchers.delete(directory)
  }

  /**
   * Watches the root and these directories (relative paths, each with what tells it from another of the same name) and no
   * others from now on. `added`: some are new, so what happened in them since they were scanned was not heard. Never
   * rejects. One call at a time.
   */
  async function follow(directories: ReadonlyMap<string, string>): Promise<{ readonly added: boolean }> {
    const below = watchesTrees ? [] : [...directories].slice(0, mostWatched - 1)
    const wanted = new Map([['', ''] as const, ...below])
    for (const [directory, { id }] of watchers) {
      if (wanted.get(directory) !== id) drop(directory)
    }
    isComplete = watchesTrees || directories.size < mostWatched
    let [tried, added] = [0, 0]
    for (const [directory, id] of wanted) {
      if (watchers.has(directory)) continue
      if (closed || refused) {
        isComplete = false
        break
      }
      if (add(directory, id)) added++
      if (++tried % watchesPerTurn === 0) await setImmediate()
    }
    return { added: added > 0 }
  }

  return {
    follow,
    /** Every directory of the last `follow` is watched. */
    get isComplete(): boolean {
      return isComplete
    },
    close(): void {
      closed = true
      for (const directory of watchers.keys()) drop(directory)
    },
  }
}

/** It went away or may not be read, which is no reason to stop watching others. */
const aboutOneDirectory = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'])

function pathOf(directory: string, name: string): string {
  const path = [directory, name].filter(part => part !== '').join('/')
  return process.platform === 'win32' ? path.replaceAll('\\', '/') : path
}
