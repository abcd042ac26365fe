import { lstatSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve } from 'node:path'
import type { ProblemCode } from '@weave/protocol'
import { type Overlay, readOverlaid } from '../files/index.ts'
import {
  type JsonPath,
  type Problem,
  parseJsonSource,
  problemOf,
  type Spot,
  shapeFits,
} from '../kit/index.ts'
import { type OperatorAgents, operatorAgents } from './agent-rows.ts'
import { type Environment, type Layer, layerOf, runtimePrefix } from './fields.ts'
import type { FleetSetting } from './fleet-schema.ts'
import type { GateSetting } from './gate-setting.ts'
import type { OperatorServers } from './mcp-servers.ts'
import type { FlagValue, LayerResult } from './read-values.ts'
import type { RuleSetting } from './rule-setting.ts'
import weaveShape from './weave-shape.json' with { type: 'json' }

export interface RuntimeFileSearch {
  readonly workingDirectory: string
  /** The directory of the hank, when there is one already. */
  readonly hankDirectory?: string
  /** The file that `--runtime-config` names, relative to the working directory; then no other is looked for. */
  readonly named?: string
  /** Texts that an editor has not saved. */
  readonly overlay?: Overlay | undefined
}

export interface RuntimeFileResult {
  /** The absolute path of the file that was used; undefined when there is none, which is fine. */
  readonly path?: string
  /** Empty when there is no file or the file has errors. */
  readonly layer: Layer
  /** What the operator wants to be asked. */
  readonly gates?: readonly GateSetting[]
  /** What the operator lets follow from events. */
  readonly rules?: readonly RuleSetting[]
  /** Of the fleet that this person works with. */
  readonly fleet?: FleetSetting
  /** Where a value of the file stands. */
  readonly spotOf?: (path: JsonPath) => Spot
  readonly problems: readonly Problem<ProblemCode>[]
  /** Agents that the file describes. */
  readonly agents?: OperatorAgents
  /** MCP servers for agents. */
  readonly mcpServers?: OperatorServers
}

const maxBytes = 10 * 1024 * 1024
const fileName = 'weave.json'

/**
 * Layer 2: looks for `weave.json` beside the hank, then in the working directory, and reads the first that is there.
 *
 * Never rejects. Every problem has a file, a line and a column. The file may be a link; what it leads to must be a
 * regular file of bearable size. A file that was named but is not there is an error.
 */
export async function readRuntimeFile(search: RuntimeFileSearch): Promise<RuntimeFileResult> {
  const { workingDirectory, hankDirectory, named, overlay } = search
  const cwd = resolve(workingDirectory)
  const from = (path: string) => readFrom(path, displayName(path, cwd), overlay)
  if (named !== undefined) return (await from(resolve(cwd, named))) ?? missing(named)
  const directories = hankDirectory === undefined ? [cwd] : [resolve(cwd, hankDirectory), cwd]
  for (const directory of new Set(directories)) {
    const result = await from(join(directory, fileName))
    if (result) return result
  }
  return { layer: {}, problems: [] }
}

/** Undefined when there is no such file. */
async function readFrom(
  path: string,
  file: string,
  overlay: Overlay | undefined,
): Promise<RuntimeFileResult | undefined> {
  const isOpen = overlay?.(path) !== undefined
  if (!isOpen && isMissing(path)) return undefined
  const target = isOpen ? path : await targetOf(path)
  const read = await readOverlaid(target, { maxBytes, overlay })
  if (!read.ok && read.reason === 'missing') return undefined
  if (!read.ok) return { path, layer: {}, problems: [wholeFile(file, read.message)] }
  return { path, ...(goodFile(read.bytes, file) ?? (await explained(read.bytes, file))) }
}

const fits = shapeFits(weaveShape, { maxKeys: 100 })

/** What a file says that is recognised as good by what `npm run generate` has written down of its schema. */
function goodFile(bytes: Buffer, file: string): LayerResult | undefined {
  const source = parseJsonSource(bytes, { file })
  const isGood = source.ok && fits(source.value) && typeof source.value === 'object' && source.value !== null
  if (!isGood) return undefined
  const layer = layerOf(source.value, 'weave.json')
  const { fleet } = source.value as { readonly fleet?: FleetSetting }
  return { layer, ...(fleet && { fleet }), problems: source.warnings, ...operatorAgents(source.value) }
}

/** With the schema itself, which takes long to set up. */
async function explained(bytes: Buffer, file: string): Promise<LayerResult> {
  const { parseRuntimeFile } = await import('./read-values.ts')
  return parseRuntimeFile(bytes, file)
}

/** Mostly it is, and then one quick look is enough. */
function isMissing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** The end of a chain of links, or the path itself when it leads nowhere. */
function targetOf(path: string): Promise<string> {
  return realpath(path).catch(() => path)
}

function missing(named: string): RuntimeFileResult {
  return { layer: {}, problems: [wholeFile(named, 'the file does not exist')] }
}

function wholeFile(file: string, message: string): Problem<ProblemCode> {
  const place = { file, line: 1, column: 1 }
  return problemOf({ severity: 'error', code: 'settings/file', message }, { where: '', place })
}

/** Relative to where the person stands, when that is shorter to read. */
function displayName(path: string, cwd: string): string {
  const way = relative(cwd, path)
  return way.startsWith('..') || isAbsolute(way) ? path : way
}

export interface Given {
  readonly flags: LayerResult
  readonly variables: LayerResult
}

/**
 * Layers 5 and 4: what was said for this one start. Mostly nothing, and then what checks it, which takes long to set up,
 * is not loaded.
 */
export async function readGiven(flags: readonly FlagValue[], environment: Environment): Promise<Given> {
  const someVariables = Object.keys(environment).some(name => name.startsWith(runtimePrefix))
  return {
    flags: flags.length > 0 ? (await import('./read-values.ts')).readFlags(flags) : nothing,
    variables: someVariables ? (await import('./read-values.ts')).readEnvironment(environment) : nothing,
  }
}

const nothing: LayerResult = { layer: {}, problems: [] }
