import { lstatSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import {
  didYouMean,
  type ExecutionFile,
  type ExecutionLayout,
  executionLayout,
  listExecutions,
  nearestNames,
  settledPaths,
  systemClock,
} from '@weave/runtime'
import type { Arguments } from './parse-arguments.ts'
import { type ExitCode, exitCodes } from './program.ts'
import type { Terminal } from './terminal.ts'

/** Where executions are, for a command that is given somewhere; `hank` when it names one. */
export async function executionBaseOf({ texts }: Arguments, hank?: string): Promise<string> {
  const { executionBaseDir } = await settledPaths({
    hank,
    environment: process.env,
    workingDirectory: process.cwd(),
    home: homedir(),
    runtimeConfig: texts['runtime-config'],
    flags: [],
  })
  return executionBaseDir
}

/** Where a word is understood. */
export interface Surroundings {
  readonly executionBaseDir: string
  readonly workingDirectory: string
  /** Without a name, one in which a server is at work comes before newer ones. */
  readonly prefersRunning?: boolean
}

export type FoundExecution =
  | {
      readonly ok: true
      readonly layout: ExecutionLayout
      /** Absent when it cannot say what it is. */
      readonly file?: ExecutionFile
    }
  | { readonly ok: false; readonly message: string }

/** The word for what is meant without a word. */
export const newestWord = '@last'

/**
 * The execution that a person means, for every command: a path, a name below the base directory, the beginning of just one
 * name, or `@last`. Without a word, as with `@last`, the newest of the hank in the working directory, and where there is no
 * hank, the newest of all.
 */
export async function findExecution(word: string | undefined, at: Surroundings): Promise<FoundExecution> {
  const found = await findDirectory(word, at)
  if (!found.ok || found.file) return found
  // With the schema of the file, which a list of nothing need not load.
  const { readExecutionFile } = await import('@weave/runtime')
  const read = await readExecutionFile(found.layout.executionFile)
  return read.kind === 'read' ? { ...found, file: read.file } : found
}

/** The same, for who reads the file by himself. */
export async function findDirectory(word: string | undefined, at: Surroundings): Promise<FoundExecution> {
  if (word === undefined || word === newestWord) return newestIn(at)
  for (const dir of [resolve(at.workingDirectory, word), join(at.executionBaseDir, word)]) {
    const layout = executionLayout(dir)
    if (isDirectory(layout.internals)) return { ok: true, layout }
  }
  const { executions, damaged } = await listIn(at)
  const names = [...executions.map(({ layout }) => layout.dir), ...damaged.map(({ dir }) => dir)].map(dir =>
    basename(dir),
  )
  const named = nameMeant(word, names)
  return named.ok ? { ok: true, layout: executionLayout(join(at.executionBaseDir, named.name)) } : named
}

/** What a name has besides that of its hank: when it was made, and the hash of its data. */
export function shortName(name: string): string {
  return /\d{8}-\d{6}-[0-9a-f]{6}(?:-\d+)?$/.exec(name)?.[0] ?? name
}

const mostNamed = 5

/** The one name that begins so, with or without that of its hank; otherwise why not. */
export function nameMeant(
  word: string,
  names: readonly string[],
):
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly message: string; readonly candidates: readonly string[] } {
  const fitting =
    word === '' ? [] : names.filter(name => name.startsWith(word) || shortName(name).startsWith(word))
  const [first, ...more] = fitting
  if (first !== undefined && more.length === 0) return { ok: true, name: first }
  if (first === undefined) {
    const near = didYouMean(nearestBeginning(basename(word), names))
    const message = `There is no execution ${word}.${near} "weave list" shows which there are.`
    return { ok: false, message, candidates: [] }
  }
  const shown = fitting.slice(0, mostNamed).map(name => `  ${name}`)
  const left = fitting.length - shown.length
  return {
    ok: false,
    candidates: fitting,
    message: [
      `${fitting.length} executions begin with ${word}:`,
      ...shown,
      ...(left > 0 ? [`  and ${left} more`] : []),
      `Give more of the name, or ${newestWord} for the newest.`,
    ].join('\n'),
  }
}

/** A word with a slip in it may be the beginning of a name, too. */
function nearestBeginning(word: string, names: readonly string[]): readonly string[] {
  const beginnings = new Map(names.toReversed().map(name => [name.slice(0, word.length), name]))
  return nearestNames(word, [...beginnings.keys()], 1).flatMap(beginning => beginnings.get(beginning) ?? [])
}

async function newestIn(at: Surroundings): Promise<FoundExecution> {
  const { executionBaseDir, workingDirectory, prefersRunning = false } = at
  const { executions } = await listIn(at)
  const hank = hankPathIn(workingDirectory)
  const ofHank =
    hank === undefined ? executions : executions.filter(({ file }) => hank.includes(file.hankPath))
  const running = prefersRunning ? ofHank.find(({ lock }) => lock.kind === 'held') : undefined
  const newest = running ?? ofHank[0]
  if (newest) return { ok: true, layout: newest.layout, file: newest.file }
  const other = executions[0]
  if (!other)
    return {
      ok: false,
      message: `There are no executions in ${executionBaseDir}. "weave" or "weave rehearse" makes one.`,
    }
  return {
    ok: false,
    message: [
      `The hank in ${workingDirectory} has no execution yet. "weave" or "weave rehearse" makes one.`,
      `The newest of another hank: -e ${basename(other.layout.dir)}`,
    ].join('\n'),
  }
}

function listIn({ executionBaseDir }: Surroundings) {
  return listExecutions({ executionBaseDir, clock: systemClock })
}

/** How executions may name the hank of a folder: by its path, or by what that leads to. Undefined: there is none. */
function hankPathIn(directory: string): readonly string[] | undefined {
  const path = join(directory, 'hank.json')
  try {
    return lstatSync(path).isSymbolicLink() ? [path, realpathSync(path)] : [path]
  } catch {
    return undefined
  }
}

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

export interface ChosenExecution {
  readonly layout: ExecutionLayout
  readonly file?: ExecutionFile
}

export type Choice =
  | ({ readonly ok: true } & ChosenExecution)
  /** A person was told why. */
  | { readonly ok: false; readonly code: ExitCode }

export interface ChoiceOptions extends Pick<Surroundings, 'prefersRunning'> {
  /** What stands on the command line beside `-e`, if that may name an execution. */
  readonly word?: string | undefined
}

/**
 * The execution that a command is about, by its word or `-e`. Says first which one it is, so that nobody works on another
 * than they think; programs that read JSON know it already.
 */
export async function chooseExecution(
  args: Arguments,
  terminal: Terminal,
  { word, prefersRunning = false }: ChoiceOptions = {},
): Promise<Choice> {
  const flag = args.texts.execution
  if (word !== undefined && flag !== undefined && word !== flag) {
    terminal.error(`Two executions are named: ${word} and ${flag}. Leave out one of them.`)
    return { ok: false, code: exitCodes.usage }
  }
  const executionBaseDir = await executionBaseOf(args)
  const workingDirectory = process.cwd()
  const found = await findExecution(word ?? flag, { executionBaseDir, workingDirectory, prefersRunning })
  if (!found.ok) {
    terminal.error(found.message)
    return { ok: false, code: exitCodes.failed }
  }
  if (!args.switches.has('json')) terminal.error(headLine(found, executionBaseDir))
  return found
}

/** Hank and execution in one line; the path of one that cannot be named without it. */
function headLine({ layout, file }: ChosenExecution, executionBaseDir: string): string {
  const { dir } = layout
  return [
    ...(file ? [file.hankName] : []),
    dirname(dir) === executionBaseDir ? basename(dir) : dir,
    ...(file?.rehearsal ? ['rehearsal'] : []),
  ].join(' · ')
}
