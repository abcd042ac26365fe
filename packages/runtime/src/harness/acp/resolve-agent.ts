import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { type Failure, fieldOf, type Result, textOf } from '../../kit/index.ts'
import type { AgentRow } from '../../models/index.ts'
import { builtInAgents, isBuiltInAgent } from '../../models/index.ts'
import { type HarnessWord, harnessWordOf, installLine } from '../installable.ts'
import { type HarnessPlaces, manifestOf, packageFrom, resolveHarness } from '../resolve-harness.ts'

export interface NamedAgent {
  readonly name: string
  readonly row: AgentRow
}

export interface AgentSearch {
  readonly places: HarnessPlaces
  /** For its PATH. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** `program`: what to start, before the arguments of the row. */
export type FoundAgent = Result<{ readonly program: readonly [string, ...string[]] }, Failure>

/**
 * The program of an agent: what `weave harness add` installed, else what the PATH or an absolute path leads to. Never what
 * lies in the working directory: a program planted beside a hank from elsewhere would run. Starts nothing; never throws.
 */
export function resolveAgent({ name, row }: NamedAgent, { places, environment }: AgentSearch): FoundAgent {
  const [wanted = ''] = row.command
  const word = wordFor(wanted)
  const installed = word && installedProgram(word, wanted, places)
  const file = installed ?? (isAbsolute(wanted) ? executable(wanted) : inPath(wanted, environment['PATH']))
  if (file !== undefined) return { ok: true, program: startable(file) }
  if (word) {
    const message = `The agent ${name} is not installed: there is no program ${wanted}, neither installed by weave nor in the PATH.`
    return { ok: false, message, cure: installLine(word) }
  }
  const message = isAbsolute(wanted)
    ? `The agent ${name} cannot be started: there is no program ${wanted}.`
    : `The agent ${name} cannot be started: no program ${wanted} is in the PATH.`
  return { ok: false, message, cure: `Install it, or correct agents.${name}.command in weave.json.` }
}

/** Who installs a program of that name. */
function wordFor(program: string): HarnessWord | undefined {
  const [agent] = Object.entries(builtInAgents).find(([, { command }]) => command[0] === program) ?? []
  return agent !== undefined && isBuiltInAgent(agent) ? harnessWordOf({ harness: 'acp', agent }) : undefined
}

function installedProgram(word: HarnessWord, program: string, places: HarnessPlaces): string | undefined {
  const found = resolveHarness(word, places)
  if (!found.ok) return undefined
  const [folder = ''] = Object.values(found.folders)
  if (word === 'opencode') return platformProgram(folder)
  const bin = fieldOf(manifestOf(folder), 'bin')
  const entry = textOf(fieldOf(bin, program)) ?? textOf(bin)
  return entry === undefined ? undefined : existing(join(folder, entry))
}

/** Its package has only a script that would put the program in place, and scripts of packages do not run. */
function platformProgram(folder: string): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const base = `opencode-${platform}-${process.arch}`
  for (const name of [base, `${base}-baseline`, `${base}-musl`, `${base}-baseline-musl`]) {
    const own = packageFrom(folder, name)
    const file = own && executable(join(own, 'bin', platform === 'windows' ? 'opencode.exe' : 'opencode'))
    if (file !== undefined) return file
  }
  return undefined
}

function inPath(program: string, path = ''): string | undefined {
  if (program.includes('/') || program.includes('\\')) return undefined
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const file = executable(join(folder, program))
    if (file !== undefined) return file
  }
  return undefined
}

function existing(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : undefined
}

function executable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK)
    return existing(path)
  } catch {
    return undefined
  }
}

/** A script for Node.js runs on ours: the PATH of a codon need not lead to one. */
function startable(file: string): readonly [string, ...string[]] {
  return /^#!.*\bnode\b/.test(beginningOf(file)) ? [process.execPath, file] : [file]
}

function beginningOf(file: string): string {
  const bytes = Buffer.alloc(64)
  try {
    const descriptor = openSync(file, constants.O_RDONLY)
    try {
      return bytes.toString('latin1', 0, readSync(descriptor, bytes))
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return ''
  }
}
