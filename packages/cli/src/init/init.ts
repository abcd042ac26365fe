import { resolve } from 'node:path'
import { type ExitCode, exitCodes } from '../exit.ts'
import type { Arguments } from '../parse-arguments.ts'
import type { Terminal } from '../terminal.ts'
import { fileTree } from './file-tree.ts'
import { hankFiles } from './hank-files.ts'
import { type WriteResult, writeNewFiles } from './write-new-files.ts'

/** `weave init [dir]`: writes a small hank that is valid at once and explains itself. */
export function createInitCommand(isCommand: InitSurrounding['isCommand']) {
  return ({ positionals }: Arguments, terminal: Terminal): Promise<ExitCode> =>
    initHank(positionals, { workingDirectory: process.cwd(), isCommand }, terminal)
}

export interface InitSurrounding {
  readonly workingDirectory: string
  /** Whether `weave` takes this word for one of its commands. */
  readonly isCommand: (word: string) => boolean
}

/** The same, from a given working directory. */
export async function initHank(
  words: readonly string[],
  { workingDirectory, isCommand }: InitSurrounding,
  terminal: Terminal,
): Promise<ExitCode> {
  const [directory = '.', ...more] = words
  if (directory === '' || more.length > 0) {
    const found = directory === '' ? 'the name is empty' : `there are ${words.length}`
    terminal.error(`weave init takes one directory, but ${found}. Write: weave init my-hank`)
    return exitCodes.usage
  }
  const result = await writeNewFiles(resolve(workingDirectory, directory), hankFiles)
  if (!result.ok) {
    for (const line of refusal(directory, result)) terminal.error(line)
    return exitCodes.failed
  }
  for (const line of success(directory, isCommand)) terminal.out(line)
  return exitCodes.done
}

function success(directory: string, isCommand: InitSurrounding['isCommand']): readonly string[] {
  const path = isCommand(directory) || directory.startsWith('-') ? `./${directory}` : directory
  const word = directory === '.' ? '' : ` ${shellWord(path)}`
  const place = directory === '.' ? 'the current directory' : directory
  const tree = fileTree(hankFiles.map(({ path }) => path))
  return [
    `Wrote a hank of ${hankFiles.length} files to ${place}:`,
    '',
    ...tree.map(line => `  ${line}`),
    '',
    'README.md says what each file is for. Next, rehearse: a whole run without a key, in which a script answers instead of',
    'a model. Then change what you like, check it, and run it; that needs ANTHROPIC_API_KEY in the environment:',
    '',
    `  weave rehearse${word}`,
    `  weave validate${word}`,
    `  weave${word}`,
  ]
}

function refusal(directory: string, result: Exclude<WriteResult, { readonly ok: true }>): readonly string[] {
  const place = directory === '.' ? 'the current directory' : directory
  if (result.reason === 'failed') {
    const why = reasons[result.code] ?? 'the system refused'
    return [
      `Cannot write ${result.path}: ${why} (${result.code}). Nothing was written.`,
      'Choose another directory: weave init <dir>',
    ]
  }
  const [are, them] = result.paths.length === 1 ? ['is', 'it'] : ['are', 'them']
  return [
    `Nothing was written, because weave init overwrites nothing and in ${place} there ${are} already:`,
    ...result.paths.map(path => `  ${path}`),
    `Move ${them} away, or choose an empty directory: weave init <dir>`,
  ]
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'there is a file where a directory should be',
  ENAMETOOLONG: 'the name is too long',
  EEXIST: 'something else wrote it at the same time',
}

/** As it is pasted into a shell. */
function shellWord(path: string): string {
  return /^[\w@%+:,./\\-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
}
