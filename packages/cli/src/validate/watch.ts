import { existsSync, type FSWatcher, watch } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { systemClock } from '@weave/runtime'
import { timeText } from 'weave-client'
import { paintVerdict } from '../colour.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, signalCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { type CheckedHank, checkHanks, type HanksToCheck } from './check-hanks.ts'
import { verdictReport } from './report.ts'

/** Checks hanks now and again whenever something changes that they use, until somebody ends it. */
export async function watchHanks(
  args: Arguments,
  terminal: Terminal,
  hanks: HanksToCheck,
): Promise<ExitCode> {
  const ended = endBySignal()
  const changes = createChanges()
  let isOver = false
  void ended.then(() => {
    isOver = true
    changes.close()
  })
  while (!isOver) {
    const checked = await checkHanks(args, terminal, hanks)
    changes.follow(new Set(checked.flatMap(usedFiles)))
    for (const line of linesOf(checked)) terminal.out(line, paintVerdict)
    terminal.out('')
    terminal.out('Watching. Ctrl-C ends it.')
    const changed = await changes.next()
    if (changed === undefined) break
    terminal.out('')
    terminal.out(`${'='.repeat(20)} ${timeText(systemClock.now())} ${changed} changed`)
    terminal.out('')
  }
  return ended
}

function linesOf(checked: readonly CheckedHank[]): readonly string[] {
  return checked.flatMap(({ named, prepared }, at) => [
    ...(checked.length > 1 ? [...(at > 0 ? [''] : []), `== ${named}`] : []),
    ...verdictReport(prepared),
  ])
}

function endBySignal(): Promise<ExitCode> {
  return new Promise(done => {
    for (const name of Object.keys(signalCodes) as (keyof typeof signalCodes)[])
      process.once(name, () => done(signalCodes[name]))
  })
}

/** Every file that a hank names or is, whether it is there or not: one that is missing may come. */
function usedFiles({ named: word, prepared }: CheckedHank): readonly string[] {
  const { loaded, runtimeFile, paths } = prepared
  const source = loaded.source?.path ?? resolve(word.endsWith('.json') ? word : join(word, 'hank.json'))
  const directory = dirname(source)
  const named = [
    ...textsIn(loaded.source?.value).map(text => resolve(directory, text)),
    ...loaded.sentinels.flatMap(({ config, base }) =>
      textsIn(config).map(text => resolve(directory, base, text)),
    ),
  ]
  return [
    source,
    ...named.filter(path => path.startsWith(`${directory}${sep}`)),
    resolve(directory, 'weave.json'),
    resolve('weave.json'),
    ...(runtimeFile === undefined ? [] : [runtimeFile]),
    ...(paths.modelsFile === undefined ? [] : [paths.modelsFile]),
  ]
}

const longestName = 4_096

/** Every text of a document that may be the name of a file. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string')
    return value.length <= longestName && value !== '' && !/[\n\0]/.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Editors write a file in several steps. Milliseconds. */
const pause = 100

interface Changes {
  /** From now on these files count. */
  follow(files: ReadonlySet<string>): void
  /** The name of a file that has changed since the last time; undefined after `close`. */
  next(): Promise<string | undefined>
  close(): void
}

/** Directories are watched, not files: most editors put a new file in the place of the old one. */
function createChanges(): Changes {
  const watchers = new Map<string, FSWatcher>()
  let followed: ReadonlySet<string> = new Set()
  let changed: string | undefined
  let wake: (() => void) | undefined
  let isClosed = false
  const tell = (directory: string, name: string | null): void => {
    const path = resolve(directory, name ?? '')
    // A directory that comes or goes may hold what is followed.
    const isAbove = () => [...followed].some(file => file.startsWith(`${path}${sep}`))
    if (name !== null && !followed.has(path) && !followed.has(directory) && !isAbove()) return
    changed ??= name ?? basename(directory)
    wake?.()
  }
  const unwatch = (directory: string): void => {
    watchers.get(directory)?.close()
    watchers.delete(directory)
  }
  return {
    follow(files) {
      followed = files
      const wanted = new Set([...files, ...[...files].map(nearestDirectory)])
      for (const directory of watchers.keys()) if (!wanted.has(directory)) unwatch(directory)
      for (const directory of wanted) {
        if (watchers.has(directory)) continue
        const watcher = watchDirectory(directory, name => tell(directory, name))
        if (watcher)
          watchers.set(
            directory,
            watcher.on('error', () => unwatch(directory)),
          )
      }
    },
    async next() {
      if (changed === undefined && !isClosed)
        await new Promise<void>(done => {
          wake = done
        })
      if (!isClosed) await systemClock.sleep(pause)
      const name = changed
      changed = undefined
      return isClosed ? undefined : name
    },
    close() {
      isClosed = true
      for (const directory of watchers.keys()) unwatch(directory)
      wake?.()
    },
  }
}

/** Where a file is, or would be: as far down as there is something. */
function nearestDirectory(file: string): string {
  const directory = dirname(file)
  return existsSync(directory) || directory === file ? directory : nearestDirectory(directory)
}

/** Nothing for a directory that is not there, and for what is none. */
function watchDirectory(directory: string, tell: (name: string | null) => void): FSWatcher | undefined {
  try {
    return watch(`${directory}/.`, (_, name) => tell(name))
  } catch {
    return undefined
  }
}
