import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import {
  checkRelativeSpelling,
  createDirectoryChain,
  ensureDir,
  fileNameOf,
  writeFileAtomic,
} from '../files/index.ts'
import type { AttachedSentinel } from '../hank/index.ts'
import { escapeLineSeparators, type Result } from '../kit/index.ts'
import type { SentinelPlaces } from './options.ts'

/** What a sentinel said last, in the form in which it is kept. */
export type Output = { readonly text: string } | { readonly value: unknown }

/**
 * The files of one sentinel in one codon. `write` adds to the log and replaces the last value; it rejects with the system's
 * error, or one that says what is in the way. Nothing is read or written before.
 */
export function createOutputFiles(
  { config, settings }: Attachment,
  runtimeId: string,
  places: SentinelPlaces,
): Result<{ readonly write: (output: Output) => Promise<void> }> {
  const isLines = config.structuredOutput !== undefined || config.output?.format === 'jsonl'
  const name = fileNameOf(runtimeId)
  const given = givenPaths({ config, settings })
  const log = placeOf(given.log, `${name}.${isLines ? 'jsonl' : 'md'}`)
  const last = placeOf(given.last, `${name}.last.${isLines ? 'json' : 'md'}`)
  if (!log || !last) return { ok: false, message: 'an output path leaves its directory' }
  if (samePlace(log, last))
    return { ok: false, message: `the log and the last value are both ${log.path.join('/')}` }
  const inside = async <T>(place: Place, write: (path: string) => Promise<T>): Promise<T> => {
    const root = place.isInWorkspace ? places.agentRoot : places.directoryOf(config.id)
    if (!place.isInWorkspace) await ensureDir(root)
    places.assertHeld?.()
    const directories = createDirectoryChain(root)
    try {
      const entered = directories.enter(place.path.slice(0, -1), 'make')
      if (!entered.ok) throw new Error(entered.message)
      return await write(entered.directory.at(place.path.at(-1) ?? ''))
    } finally {
      directories.close()
    }
  }
  const write = async (output: Output): Promise<void> => {
    const text = isLines ? lineOf(output) : textOf(output)
    const join = isLines ? '' : config.joinString
    await inside(log, path => append(path, { text, join, mode: modeOf(log) }))
    await inside(last, path => writeFileAtomic(path, text, { mode: modeOf(last) }))
  }
  return { ok: true, write }
}

type Attachment = Pick<AttachedSentinel, 'config' | 'settings'>

function givenPaths({ config, settings }: Attachment) {
  return {
    log: settings.outputPaths?.logFile ?? config.output?.file,
    last: settings.outputPaths?.lastValueFile ?? config.output?.lastValueFile,
  }
}

/** Which files of the agent workspace a sentinel writes, relative to it. */
export function workspaceOutputs(attached: Attachment): readonly string[] {
  return Object.values(givenPaths(attached)).flatMap(given => {
    const place = placeOf(given, '')
    return place?.isInWorkspace ? [place.path.join('/')] : []
  })
}

interface Place {
  readonly isInWorkspace: boolean
  /** From there, the name of the file included. */
  readonly path: readonly string[]
}

function placeOf(given: string | undefined, generated: string): Place | undefined {
  if (given === undefined) return { isInWorkspace: false, path: [generated] }
  const spelling = checkRelativeSpelling(given)
  if (!spelling.ok || spelling.components.length === 0) return undefined
  return { isInWorkspace: given.includes('/'), path: spelling.components }
}

function samePlace(one: Place, other: Place): boolean {
  return one.isInWorkspace === other.isInWorkspace && one.path.join('/') === other.path.join('/')
}

/** What lies in the workspace belongs to the agent, too. */
function modeOf({ isInWorkspace }: Place): number {
  return isInWorkspace ? 0o644 : 0o600
}

const appendFlags =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** In one write, so that two who add to the same file never mix. `join` comes between what is there and the text. */
async function append(
  path: string,
  { text, join, mode }: { readonly text: string; readonly join: string; readonly mode: number },
): Promise<void> {
  const file = await open(path, appendFlags, mode)
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new Error('the output file is not a regular file')
    await file.appendFile(stat.size > 0 ? join + text : text)
  } finally {
    await file.close()
  }
}

function lineOf(output: Output): string {
  return `${escapeLineSeparators(JSON.stringify('value' in output ? output.value : output.text))}\n`
}

function textOf(output: Output): string {
  return 'text' in output ? output.text : JSON.stringify(output.value)
}
