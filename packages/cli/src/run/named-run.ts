import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { executionBaseOf, findExecution, isDirectory, newestWord } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { runArguments } from '../prepare-run.ts'

export type NamedRun =
  | {
      readonly ok: true
      /** With the whole path of the execution, and its hank when none was named. */
      readonly args: Arguments
      /** Of an execution that exists: whether it was made by a rehearsal. */
      readonly isRehearsal?: boolean
    }
  | { readonly ok: false; readonly message: string }

/**
 * What `-e` means for a start. An execution that exists, by whatever name, is gone on with, and knows its hank. A path that
 * leads to nothing yet is a new one. A name that exists nowhere is a mistake and never a new run, which would cost money.
 */
export async function namedRun(args: Arguments): Promise<NamedRun> {
  const { texts, switches } = args
  const word = texts.execution
  if (word === undefined) return { ok: true, args }
  const words = await runArguments(args.positionals)
  const executionBaseDir = await executionBaseOf(args, 'problem' in words ? undefined : words.hank)
  const at = { executionBaseDir, workingDirectory: process.cwd() }
  const isNew = switches.has('start-new') || leadsToNew(word, executionBaseDir)
  // What is to begin must not be taken for the beginning of a name.
  const found = isNew && !isExact(word, executionBaseDir) ? undefined : await findExecution(word, at)
  if (found?.ok === false)
    return {
      ok: false,
      message: `${found.message}${word === newestWord ? '' : `\nFor a new one in a directory of your own: -e ${inDirectory(word)}`}`,
    }
  if (!found) return { ok: true, args: withExecution(args, resolve(word)) }
  const { layout, file } = found
  const named = withExecution(args, layout.dir)
  if (!file) return { ok: true, args: named }
  const isNamed = 'problem' in words || args.positionals.length === 2 || isHankWord(args, words)
  const hasHank = isNamed || !isFile(file.hankPath)
  return {
    ok: true,
    args: hasHank ? named : { ...named, positionals: [file.hankPath, ...args.positionals] },
    isRehearsal: file.rehearsal ?? false,
  }
}

/** Whether the only word is the hank, and not the data. */
function isHankWord({ positionals }: Arguments, words: { readonly data?: string }): boolean {
  return positionals.length === 1 && words.data === undefined
}

function withExecution(args: Arguments, execution: string): Arguments {
  return { ...args, texts: { ...args.texts, execution } }
}

/** A path, or the name of a directory that is there. Inside of the base directory all that is not there is a mistake. */
function leadsToNew(word: string, executionBaseDir: string): boolean {
  if (word === newestWord) return false
  const path = resolve(word)
  return isDirectory(path) || (/[/\\]/.test(word) && dirname(path) !== executionBaseDir)
}

/** Whether it is an execution just as it is written. */
function isExact(word: string, executionBaseDir: string): boolean {
  return [resolve(word), resolve(executionBaseDir, word)].some(path => isDirectory(resolve(path, '.weave')))
}

function inDirectory(word: string): string {
  return /[/\\]/.test(word) ? `./${word.split(/[/\\]/).at(-1)}` : `./${word}`
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
