import { lstat, mkdir, rmdir, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { shellWord } from '../go-on.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { hankFiles, type NewFile } from './hank-files.ts'

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
  const { files, kept } = await withoutOwn(resolve(workingDirectory, directory))
  const result = await writeNewFiles(resolve(workingDirectory, directory), files)
  if (!result.ok) {
    for (const line of refusal(directory, result)) terminal.error(line)
    return exitCodes.failed
  }
  for (const line of success(directory, isCommand, { files, kept })) terminal.out(line)
  for (const line of await firstHarness()) terminal.out(line)
  return exitCodes.done
}

interface ChosenFiles {
  readonly files: readonly NewFile[]
  /** What the directory has of its own. */
  readonly kept: readonly string[]
}

const guide = 'README.md'
const guideBesideOwn = 'HANK.md'
/** What every repository has. A hank works without them, so they are no reason to refuse. */
const ofRepositories: readonly string[] = [guide, '.gitignore']

/** The guide gets another name beside a README of one's own. */
async function withoutOwn(directory: string): Promise<ChosenFiles> {
  const there = await Promise.all(
    ofRepositories.map(path =>
      lstat(join(directory, path)).then(
        () => true,
        () => false,
      ),
    ),
  )
  const kept = ofRepositories.filter((_, at) => there[at])
  const files = hankFiles.flatMap(file => {
    if (!kept.includes(file.path)) return [file]
    return file.path === guide ? [{ ...file, path: guideBesideOwn }] : []
  })
  return { files, kept }
}

function success(
  directory: string,
  isCommand: InitSurrounding['isCommand'],
  { files, kept }: ChosenFiles,
): readonly string[] {
  const path = isCommand(directory) || directory.startsWith('-') ? `./${directory}` : directory
  const word = directory === '.' ? '' : ` ${shellWord(path)}`
  const place = directory === '.' ? 'the current directory' : directory
  const tree = fileTree(files.map(({ path }) => path))
  const isGuideOwn = kept.includes(guide)
  return [
    `Wrote a hank of ${files.length} files to ${place}:`,
    '',
    ...tree.map(line => `  ${line}`),
    '',
    ...(kept.length > 0
      ? [`Your own ${kept.join(' and ')} stayed as they were; git should ignore weave-results/ and .env.`, '']
      : []),
    `${isGuideOwn ? guideBesideOwn : guide} says what each file is for. Next, rehearse: a whole run without a key, in which a script answers instead of`,
    'a model. Then change what you like, check it, and run it; that needs ANTHROPIC_API_KEY in the environment:',
    '',
    `  weave rehearse${word}`,
    `  weave validate${word}`,
    `  weave${word}`,
  ]
}

/** For somebody who has not got the agent that the new hank runs on. */
async function firstHarness(): Promise<readonly string[]> {
  const { resolveHarness } = await import('@weave/runtime')
  const found = resolveHarness('claude')
  if (found.ok) return []
  return [
    '',
    'Its agent comes first, for a rehearsal, too. The Claude Agent SDK is not installed yet:',
    '',
    `  ${found.cure}`,
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

/** The files as an indented tree, folders before files, both by name. `paths` are relative, with `/`. */
export function fileTree(paths: readonly string[]): readonly string[] {
  const files = paths.filter(path => !path.includes('/')).sort()
  const folders = [...new Set(paths.flatMap(path => path.split('/').slice(0, -1)[0] ?? []))].sort()
  return [...folders.flatMap(folder => [`${folder}/`, ...indented(inside(folder, paths))]), ...files]
}

function inside(folder: string, paths: readonly string[]): readonly string[] {
  const start = `${folder}/`
  return fileTree(paths.filter(path => path.startsWith(start)).map(path => path.slice(start.length)))
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map(line => `  ${line}`)
}

type WriteResult =
  | { readonly ok: true }
  /** These paths, relative to the directory, are in use. */
  | { readonly ok: false; readonly reason: 'taken'; readonly paths: readonly string[] }
  | { readonly ok: false; readonly reason: 'failed'; readonly path: string; readonly code: string }

/**
 * Writes all files into a directory, which is made if it is missing, or none of them.
 *
 * Overwrites nothing: a file that is there, also a link that leads nowhere, is in use, and so is one where a directory
 * should be. A failure on the way takes back what was written until then. Never rejects.
 */
export async function writeNewFiles(directory: string, files: readonly NewFile[]): Promise<WriteResult> {
  const made: Made[] = []
  // Where the work is, for the message about what failed there.
  const at = { path: directory }
  try {
    const paths = await takenPaths(directory, files, at)
    if (paths.length > 0) return { ok: false, reason: 'taken', paths }
    for (const path of [directory, ...foldersOf(files).map(folder => join(directory, folder))]) {
      at.path = path
      await makeDirectory(path, made)
    }
    for (const { path, text } of files) {
      at.path = join(directory, path)
      await writeFile(at.path, text, { flag: 'wx' })
      made.push({ kind: 'file', path: at.path })
    }
    return { ok: true }
  } catch (error) {
    await takeBack(made)
    return { ok: false, reason: 'failed', path: at.path, code: codeOf(error) ?? String(error) }
  }
}

interface Made {
  readonly kind: 'file' | 'directory'
  readonly path: string
}

/** In the order of the files; a folder before what would be in it. */
async function takenPaths(
  directory: string,
  files: readonly NewFile[],
  at: { path: string },
): Promise<readonly string[]> {
  if ((await kindOf(directory, at)) === 'missing') return []
  // A link to a directory will do: the person at the keyboard named it.
  if (!(await stat(directory)).isDirectory())
    throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' })
  const taken = new Set<string>()
  for (const { path } of files) {
    const blocked = await blockedFolder(directory, path, at)
    if (blocked !== undefined) taken.add(blocked)
    else if ((await kindOf(join(directory, path), at)) !== 'missing') taken.add(path)
  }
  return [...taken]
}

/** A folder on the way to the file that is no folder. */
async function blockedFolder(
  directory: string,
  file: string,
  at: { path: string },
): Promise<string | undefined> {
  for (const folder of foldersOn(file)) {
    const kind = await kindOf(join(directory, folder), at)
    if (kind === 'missing') return undefined
    if (kind === 'other') return folder
  }
  return undefined
}

async function kindOf(path: string, at: { path: string }): Promise<'missing' | 'directory' | 'other'> {
  at.path = path
  try {
    return (await lstat(path)).isDirectory() ? 'directory' : 'other'
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'missing'
    throw error
  }
}

/** `a`, `a/b` for `a/b/c.md`. */
function foldersOn(file: string): readonly string[] {
  const parts = file.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

function foldersOf(files: readonly NewFile[]): readonly string[] {
  return [...new Set(files.flatMap(({ path }) => foldersOn(path)))]
}

/** Step by step, so that it is known which directories are ours. */
async function makeDirectory(path: string, made: Made[]): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error
    await makeDirectory(dirname(path), made)
    await mkdir(path)
  }
  made.push({ kind: 'directory', path })
}

/** What cannot be taken back stays: the failure that brought us here is already on its way to the person. */
async function takeBack(made: readonly Made[]): Promise<void> {
  for (const { kind, path } of [...made].reverse()) {
    await (kind === 'file' ? unlink(path) : rmdir(path)).catch(() => undefined)
  }
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
