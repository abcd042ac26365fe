import { accessSync, constants, readFileSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Failure, fieldOf, isObject, type JsonObject, type Result, textOf } from '../kit/index.ts'
import { type HarnessWord, installableHarnesses, installLine } from './installable.ts'

/** Where packages of a harness are looked for. */
export interface HarnessPlaces {
  /** A file of the program: packages are found as it would find them. */
  readonly program: string
  /** The home directory of the person: what `weave harness add` installs lies below it. */
  readonly home: string
}

export interface FoundHarness {
  /** `program`: installed beside the program; `home`: by `weave harness add`. */
  readonly where: 'program' | 'home'
  /** Of each package, its folder, links resolved. */
  readonly folders: Readonly<Record<string, string>>
  readonly version: string
}

export type HarnessSearch = Result<FoundHarness, Failure>

export function ownPlaces(): HarnessPlaces {
  return { program: fileURLToPath(import.meta.url), home: homedir() }
}

/** Where `weave harness add` puts a harness. */
export function harnessFolder(home: string, word: HarnessWord): string {
  return join(home, '.weave/harnesses', word)
}

/**
 * The packages of a harness: as the program's own file finds them, else in the home directory. Never in the working
 * directory: packages planted beside a hank from elsewhere would run. Loads and starts nothing; never throws.
 */
export function resolveHarness(word: HarnessWord, places: HarnessPlaces = ownPlaces()): HarnessSearch {
  const inProgram = searchIn(word, 'program', name => packageFrom(dirname(places.program), name))
  if (inProgram?.ok) return inProgram
  const inHome = searchHome(word, harnessFolder(places.home, word))
  if (inHome?.ok) return inHome
  const { title } = installableHarnesses[word]
  const missing = { ok: false, message: `The ${title} is not installed.`, cure: installLine(word) } as const
  return inHome ?? inProgram ?? missing
}

/** The folders of its packages. Throws as Node does for a package that is not there, which may be for want of descriptors. */
export function requireHarness(word: HarnessWord, places?: HarnessPlaces): FoundHarness['folders'] {
  const found = resolveHarness(word, places)
  if (found.ok) return found.folders
  const error = new Error(`${found.message} Install it: ${found.cure}`)
  throw Object.assign(error, { code: 'ERR_MODULE_NOT_FOUND' })
}

/** The same in one folder of `weave harness add`; undefined when nothing of it is there. */
export function searchHome(word: HarnessWord, folder: string): HarnessSearch | undefined {
  return searchIn(word, 'home', name => realFolder(join(folder, 'node_modules', name)))
}

function searchIn(
  word: HarnessWord,
  where: FoundHarness['where'],
  folderOf: (name: string) => string | undefined,
): HarnessSearch | undefined {
  const { title, packages } = installableHarnesses[word]
  const names = Object.keys(packages)
  const found = names.flatMap(name => {
    const folder = folderOf(name)
    return folder === undefined ? [] : [[name, folder] as const]
  })
  const [first] = found
  if (first === undefined) return undefined
  const cure = installLine(word)
  const lacking = names.filter(name => !found.some(([each]) => each === name))
  if (lacking.length > 0)
    return { ok: false, message: `The ${title} is installed without ${lacking.join(' and ')}.`, cure }
  if (word === 'claude' && !hasClaudeProgram(first[1])) {
    const platform = `${process.platform}-${process.arch}`
    return { ok: false, message: `The ${title} is installed without its program for ${platform}.`, cure }
  }
  const version = textOf(fieldOf(manifestOf(first[1]), 'version')) ?? ''
  return { ok: true, where, folders: Object.fromEntries(found), version }
}

/** The program is a package of its own, one for each platform, that may be missing alone. */
function hasClaudeProgram(sdk: string): boolean {
  return claudePrograms().some(([name, file]) => {
    const folder = packageFrom(sdk, name)
    return folder !== undefined && isExecutable(join(folder, file))
  })
}

/** In the order in which one may fit: on Linux the C library decides. */
function claudePrograms(): readonly (readonly [name: string, file: string])[] {
  const { platform, arch } = process
  const name = `${Object.keys(installableHarnesses.claude.packages)[0]}-${platform}-${arch}`
  if (platform === 'win32') return [[name, 'claude.exe']]
  const usual = [name, 'claude'] as const
  return platform === 'linux' ? [usual, [`${name}-musl`, 'claude']] : [usual]
}

/** As an import in a file of that folder finds a package: in `node_modules` there and in every folder above. */
export function packageFrom(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found = realFolder(join(at, 'node_modules', name))
    if (found !== undefined) return found
    if (dirname(at) === at) return undefined
  }
}

function realFolder(folder: string): string | undefined {
  try {
    return manifestOf(folder) && realpathSync(folder)
  } catch {
    return undefined
  }
}

/** The `package.json` in a folder; undefined when there is none that can be read. */
export function manifestOf(folder: string): JsonObject | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return isObject(manifest) ? manifest : undefined
  } catch {
    return undefined
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Loads a package from its folder, by the file that it names for an import of it or of one of its doors. */
export function importPackage(folder: string, name = '.'): Promise<unknown> {
  const manifest = manifestOf(folder)
  const door = fieldOf(fieldOf(manifest, 'exports'), name)
  const entry = textOf(fieldOf(door, 'import')) ?? textOf(fieldOf(door, 'default')) ?? textOf(door)
  const file = entry ?? textOf(fieldOf(manifest, 'main')) ?? 'index.js'
  return import(/* @vite-ignore */ pathToFileURL(join(folder, file)).href)
}
