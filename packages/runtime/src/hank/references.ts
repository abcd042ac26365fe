import { lstatSync, opendirSync } from 'node:fs'
import { dirname, join, posix, resolve } from 'node:path'
import type { ProblemCode } from '@weave/protocol'
import {
  type ContainedPath,
  checkRelativeSpelling,
  type Overlay,
  readOverlaid,
  resolveInside,
} from '../files/index.ts'
import type { Result } from '../kit/index.ts'
import type { HankEntry } from './nearest-files.ts'

/** No system takes a longer one. */
export const longestPath = 4_096

/** A path that a hank names, and where it is named. */
export interface Reference {
  /** As written. */
  readonly path: string
  /** The directory it starts from, relative to the hank directory and normalised; '' is the hank directory. */
  readonly base?: string
  /** How a message about the file begins: `Codon 1 (draft): promptFile`. */
  readonly label: string
}

/** Why a reference is refused. */
export interface ReferenceFault {
  readonly code: ProblemCode
  readonly message: string
  /** What to write instead, when something of nearly that name is there. */
  readonly meant?: string | undefined
}

export type ResolvedReference = Result<
  {
    /** Absolute; the only spelling to open. */
    readonly path: string
    /** Relative to the hank directory, normalised, with `/`; '' is the hank directory itself. */
    readonly relative: string
  },
  ReferenceFault
>

export type SpelledReference = Result<{ readonly relative: string }, ReferenceFault>
export type ReferencedFile = Result<{ readonly bytes: Buffer; readonly relative: string }, ReferenceFault>

export interface ReadOptions {
  readonly maxBytes: number
  readonly overlay?: Overlay | undefined
  /** Of the same hank directory. */
  readonly missing?: Missing
}

/**
 * Where a reference leads: spelling first, then containment, then every component below the hank
 * directory, none of which may be a symlink. Does not ask whether the file is there. Never throws.
 */
export function resolveReference(hankDir: string, reference: Reference): ResolvedReference {
  const { path } = reference
  const spelled = spellReference(hankDir, reference)
  if (!spelled.ok) return spelled
  const resolved = resolveInside(hankDir, spelled.relative)
  if (resolved.ok) return { ok: true, path: resolved.path, relative: spelled.relative }
  return {
    ok: false,
    ...refusal(resolved, reference, outside(path, resolve(hankDir, spelled.relative))),
  }
}

/**
 * Resolves a reference and reads the file through one descriptor: what was looked at is what is read. Never rejects.
 *
 * For `maxBytes` and more kinds of failure see `readOverlaid`; a failure here has a message for people.
 */
export async function readReference(
  hankDir: string,
  reference: Reference,
  { maxBytes, overlay, missing = createMissing(hankDir) }: ReadOptions,
): Promise<ReferencedFile> {
  const resolved = resolveReference(hankDir, reference)
  if (!resolved.ok) return resolved
  const read = await readOverlaid(resolved.path, { maxBytes, overlay })
  if (read.ok) return { ok: true, bytes: read.bytes, relative: resolved.relative }
  const { path, label, base } = reference
  const code = readCodes[read.reason]
  if (read.reason === 'symlink') return { ok: false, code, message: throughSymlink(path, path) }
  const message = readFailure(`${label} ${path}`, read, maxBytes)
  if (read.reason !== 'missing') return { ok: false, code, message }
  return { ok: false, code, ...(await missing(message, { relative: resolved.relative, base })) }
}

/** The code for each way in which a file cannot be read. */
export const readCodes = {
  missing: 'path/missing',
  symlink: 'path/symlink',
  'not-regular': 'path/kind',
  'too-large': 'path/size',
  unreadable: 'path/unreadable',
} as const satisfies Readonly<Record<string, ProblemCode>>

/** The spelling alone, without a look at the disk. `relative` is normalised, as in a resolved reference. */
export function spellReference(hankDir: string, reference: Reference): SpelledReference {
  const { path, base = '', label } = reference
  if (path.length > longestPath)
    return { ok: false, code: 'path/length', message: `${label} is longer than ${longestPath} characters` }
  const alone = checkRelativeSpelling(path)
  if (!alone.ok && alone.reason !== 'outside') return { ok: false, ...refusal(alone, reference, '') }
  const whole = base === '' ? path : `${base}/${path}`
  const spelling = checkRelativeSpelling(whole)
  if (spelling.ok) return { ok: true, relative: spelling.components.join('/') }
  return { ok: false, code: 'path/outside', message: outside(path, furthest(hankDir, whole)) }
}

/** The directory part of a resolved reference, as the `base` of the references inside that file. */
export function baseOf(relative: string): string {
  const directory = posix.dirname(relative)
  return directory === '.' ? '' : directory
}

/** A message about something missing that goes on with what may be meant. Never rejects. */
export type Missing = (
  message: string,
  wanted: WantedEntry,
) => Promise<Pick<ReferenceFault, 'message' | 'meant'>>

interface WantedEntry {
  /** To the hank directory. */
  readonly relative: string
  /** Where paths are written from, as in a `Reference`. */
  readonly base?: string | undefined
  /** A directory would do, too. */
  readonly tree?: boolean
}

/** Nobody reads more of them, and each is a comparison with every file of the hank. */
const mostHints = 20

/** For many references of one hank: its directory is listed once. */
export function createMissing(hankDir: string): Missing {
  let listed: Promise<readonly HankEntry[]> | undefined
  let left = mostHints
  return async (message, { relative, base = '', tree = false }) => {
    const written = (path: string): string => (base === '' ? path : posix.relative(base, path))
    const other = otherSpelling(hankDir, relative)
    if (other !== undefined)
      return { message: `${message}; there is ${other}, and capital letters count`, meant: written(other) }
    if (left-- <= 0) return { message }
    const { entriesBelow, nearestPaths } = await import('./nearest-files.ts')
    listed ??= entriesBelow(hankDir)
    const candidates = (await listed).filter(entry => tree || !entry.isDirectory)
    const paths = candidates.map(({ path }) => path)
    const near = nearestPaths(relative, paths).map(written)
    if (near.length === 0) return { message }
    return {
      message: `${message}; did you mean ${near.join(' or ')}?`,
      ...(near.length === 1 && { meant: near[0] }),
    }
  }
}

/** What is there under a name that differs only in capital letters, relative to the hank directory. */
function otherSpelling(hankDir: string, relative: string): string | undefined {
  const parts = relative.split('/')
  const missing = parts.findIndex((_, at) => !isThere(join(hankDir, ...parts.slice(0, at + 1))))
  const before = parts.slice(0, missing)
  const other = missing === -1 ? undefined : nameLike(parts[missing] ?? '', join(hankDir, ...before))
  return other === undefined ? undefined : [...before, other].join('/')
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

const mostNames = 1_000

/** A name of the directory that is the same but for capital letters, if it is among the first that are found there. */
function nameLike(name: string, path: string): string | undefined {
  try {
    const directory = opendirSync(path, { bufferSize: mostNames })
    try {
      for (let at = 0; at < mostNames; at++) {
        const entry = directory.readSync()
        if (entry === null) return undefined
        if (entry.name.toLowerCase() === name.toLowerCase()) return entry.name
      }
    } finally {
      directory.closeSync()
    }
  } catch {
    // A hint is not worth a failure.
  }
  return undefined
}

/** Where a path that leaves the directory ends; if it comes back in, the first place outside. */
function furthest(hankDir: string, path: string): string {
  const root = resolve(hankDir)
  const parts = path.split('/').filter(part => part !== '' && part !== '.')
  const end = resolve(root, ...parts)
  if (end !== root && !end.startsWith(`${root}/`)) return end
  return dirname(root)
}

type Refused = Extract<ContainedPath, { ok: false }>

function refusal(
  { reason, component }: Refused,
  { path, label }: Reference,
  outsideMessage: string,
): ReferenceFault {
  const code = `path/${reason}` as const
  if (reason === 'symlink') return { code, message: throughSymlink(path, component ?? path) }
  if (reason === 'unreadable') return { code, message: `${label} ${path} cannot be read` }
  const message = spellingFault(reason, path, {
    absolute: 'hank refs must be relative paths inside the hank directory',
    separator: 'hank refs use / as the only path separator',
    outside: outsideMessage,
  })
  return { code, message }
}

/** What is wrong with how a path is spelled. `words`: what holds for such paths, and the message for one that leads out. */
export function spellingFault(
  reason: 'absolute' | 'backslash' | 'nul' | 'outside',
  path: string,
  words: { readonly absolute: string; readonly separator: string; readonly outside: string },
): string {
  switch (reason) {
    case 'absolute':
      return `${path} is an absolute or drive-qualified path; ${words.absolute}`
    case 'backslash':
      return `${path} contains a backslash; ${words.separator}`
    case 'nul':
      return `${path} contains an invalid character (NUL)`
    case 'outside':
      return words.outside
  }
}

function outside(path: string, resolved: string): string {
  return `${path} resolves outside the hank directory (${resolved}); move the file into the hank directory`
}

function throughSymlink(path: string, component: string): string {
  return `${path} passes through a symlink at ${component}; symlinks are not allowed in hank refs`
}

/** What to say about a file that could not be read. `subject`: how people know it. */
export function readFailure(
  subject: string,
  { reason, code }: { readonly reason: string; readonly code?: string | undefined },
  maxBytes: number,
): string {
  switch (reason) {
    case 'missing':
      return `${subject} does not exist`
    case 'not-regular':
      return `${subject} is not a regular file`
    case 'too-large':
      return `${subject} is larger than ${maxBytes / 1024 / 1024} MiB`
    default:
      return `${subject} cannot be read${code === undefined ? '' : ` (${code})`}`
  }
}

/**
 * What is wrong with where a sentinel writes: a path with `/` lies in the agent workspace, a bare name in
 * the directory of the sentinel, and neither may leave it. Also for `settings.outputPaths` of an attachment.
 */
export function outputPathFault(path: string): string | undefined {
  const home = path.includes('/') ? 'the agent workspace' : 'the directory of the sentinel'
  if (path.length > longestPath) return `is longer than ${longestPath} characters`
  const spelling = checkRelativeSpelling(path)
  if (!spelling.ok) {
    return spellingFault(spelling.reason, path, {
      absolute: `it must be relative to ${home}`,
      separator: '/ is the only path separator',
      outside: `${path} leaves ${home}`,
    })
  }
  const namesDirectory = spelling.components.length === 0 || /(^|\/)\.{0,2}$/.test(path)
  return namesDirectory ? `${path} names a directory, not a file` : undefined
}
