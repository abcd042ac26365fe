import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ProblemCode } from '@weave/protocol'
import { type Overlay, readOverlaid } from '../files/index.ts'
import {
  errorCode,
  type JsonSource,
  type Place,
  type Problem,
  parseJsonSource,
  problemOf,
} from '../kit/index.ts'
import { readCodes, readFailure } from './references.ts'

/** A hank file that is JSON; what it says is not checked yet. */
export interface HankSource extends JsonSource {
  /** The file as it should be named in messages. */
  readonly file: string
  /** Absolute; where the file really lies when a link was passed. */
  readonly path: string
  /** Absolute; holds the file. Every reference starts here. */
  readonly directory: string
  /** What an editor holds of the files around it. */
  readonly overlay?: Overlay | undefined
}

export type HankRead =
  | { readonly ok: true; readonly source: HankSource }
  | {
      readonly ok: false
      readonly problems: readonly Problem<ProblemCode>[]
      /** For a fault in the text: its line with a caret under the place, over several lines. */
      readonly excerpt?: string | undefined
    }

const hankFileName = 'hank.json'
const otherFileName = 'strand.json'
export const maxHankBytes = 10 * 1024 * 1024
/** To check each key of a larger object would take too long. */
export const mostKeys = 20_000
const maxDepth = 64

/**
 * Reads the hank at a path: a file of any name, or a directory that holds a `hank.json`. Without a path, the `hank.json`
 * of the working directory. Never rejects.
 */
export async function readHank(path: string | undefined, surroundings: Surroundings): Promise<HankRead> {
  const { overlay } = surroundings
  const located = locate(path, surroundings)
  if (!located.ok) return located
  const { file } = located
  const read = await readOverlaid(located.path, { maxBytes: maxHankBytes, overlay })
  if (!read.ok) return refused(file, [readCodes[read.reason], readFailure(file, read, maxHankBytes)])
  const encoding = encodingFault(read.bytes)
  if (encoding) return refused(file, ['json/encoding', encoding.message], encoding.line)

  const parsed = parseJsonSource(read.bytes, { file, maxBytes: maxHankBytes, maxDepth })
  if (!parsed.ok) {
    const { problems } = parsed
    return {
      ok: false,
      problems,
      excerpt: excerptAt(new TextDecoder().decode(read.bytes), problems[0]?.place),
    }
  }
  const { value, placeOf, spotOf, warnings } = parsed
  const document = { value, placeOf, spotOf, warnings }
  const { path: real } = located
  return { ok: true, source: { ...document, file, path: real, directory: dirname(real), overlay } }
}

/** Where a path starts, and what of the disk does not count. */
interface Surroundings {
  readonly workingDirectory: string
  readonly overlay?: Overlay | undefined
}

type Located =
  | { readonly ok: true; readonly path: string; readonly file: string }
  | Extract<HankRead, { ok: false }>

function locate(path: string | undefined, { workingDirectory, overlay }: Surroundings): Located {
  const named = path ?? '.'
  const absolute = resolve(workingDirectory, named)
  const isOpen = (file: string) => overlay?.(file) !== undefined
  if (isOpen(absolute)) return { ok: true, path: absolute, file: named }
  const kind = kindOf(absolute)
  if (kind !== 'directory') return real(absolute, named)

  const file = path === undefined ? hankFileName : join(named, hankFileName)
  const inside = join(absolute, hankFileName)
  if (isOpen(inside)) return { ok: true, path: inside, file }
  if (kindOf(inside) !== 'missing') return real(inside, file)
  const other = kindOf(join(absolute, otherFileName)) === 'file'
  const hint = other ? `; there is a ${otherFileName}, which is used only when its path is given` : ''
  return refused(file, ['path/missing', `${file} does not exist${hint}`])
}

/** A link is followed here, and only here: the person at the keyboard named it. */
function real(path: string, file: string): Located {
  try {
    const link = lstatSync(path).isSymbolicLink()
    return { ok: true, path: link ? realpathSync(path) : path, file }
  } catch (error) {
    const reason = isAbsence(error) ? 'missing' : 'unreadable'
    const message = readFailure(file, { reason, code: errorCode(error) }, maxHankBytes)
    return refused(file, [readCodes[reason], message])
  }
}

function kindOf(path: string): 'file' | 'directory' | 'missing' | 'other' {
  try {
    const found = statSync(path)
    if (found.isDirectory()) return 'directory'
    return found.isFile() ? 'file' : 'other'
  } catch (error) {
    return isAbsence(error) ? 'missing' : 'other'
  }
}

function isAbsence(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function refused(
  file: string,
  [code, message]: readonly [ProblemCode, string],
  line = 1,
): Extract<HankRead, { ok: false }> {
  const place = { file, line, column: 1 }
  return { ok: false, problems: [problemOf({ severity: 'error', code, message }, { where: '', place })] }
}

/** Finds the line, which a decoder does not tell. */
function encodingFault(bytes: Buffer): { readonly message: string; readonly line: number } | undefined {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { message: 'the file is encoded as UTF-16; save it as UTF-8', line: 1 }
  }
  if (isUtf8(bytes)) return undefined
  let line = 1
  for (let start = 0; start < bytes.length; line++) {
    const newline = bytes.indexOf(0x0a, start)
    const end = newline === -1 ? bytes.length : newline
    if (!isUtf8(bytes.subarray(start, end))) break
    start = end + 1
  }
  return { message: 'the line is not valid UTF-8; save the file as UTF-8', line }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

const longest = 100

/**
 * The line at a place with a caret under the column:
 *
 *     12 |   "name": "draft",,
 *        |                   ^
 *
 * A long line is cut around the column. Control characters become spaces, so that the caret stays where it belongs.
 */
export function excerptAt(text: string, place: Place | undefined): string | undefined {
  if (!place) return undefined
  const line = text.split(/\r\n|\r|\n/, place.line)[place.line - 1]
  if (line === undefined || line.trim() === '') return undefined
  const start = Math.max(0, Math.min(place.column - longest / 2, line.length - longest))
  const shown = line.slice(start, start + longest).replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
  const before = start > 0 ? '…' : ''
  const after = start + longest < line.length ? '…' : ''
  const number = String(place.line)
  const caret = ' '.repeat(before.length + place.column - 1 - start)
  return `${number} | ${before}${shown}${after}\n${' '.repeat(number.length)} | ${caret}^`
}
