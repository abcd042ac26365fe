import { dirname, join } from 'node:path'
import type { ProblemCode } from '@weave/protocol'
import {
  type Collector,
  collector,
  hasErrors,
  type JsonPath,
  type JsonSource,
  type Problem,
  parseJsonSource,
  problemOf,
} from '../kit/index.ts'
import { codonsOf, type PlacedCodon } from './codons.ts'
import { maxPromptBytes, mostFaults, referenceProblem, tooManyFaults } from './named-files.ts'
import { firstOf, pathOf, reservedKeys } from './places.ts'
import type { HankSource } from './read.ts'
import { baseOf, type Reference, readReference } from './references.ts'
import type { HankFile, SentinelAttachment } from './schema.ts'
import { checkSentinelConfig, outputSchemaFault, schemaTextFault } from './sentinel-config.ts'
import { checkPatterns } from './sentinel-patterns.ts'
import type { SentinelConfig } from './sentinel-schema.ts'

/** A sentinel of a codon, read and checked. */
export interface AttachedSentinel {
  /** The codon in the file: `hank[2].codons[0]`. */
  readonly codon: string
  readonly codonId: string
  readonly config: SentinelConfig
  readonly settings: NonNullable<SentinelAttachment['settings']>
  /** The configuration file, relative to the hank directory; none for a configuration inside the hank. */
  readonly sourcePath?: string
  /** Where the references of the configuration start, relative to the hank directory. */
  readonly base: string
}

export interface CheckedAttachments {
  readonly problems: readonly Problem<ProblemCode>[]
  readonly sentinels: readonly AttachedSentinel[]
}

/**
 * Reads the sentinel configurations of a hank and the files these name. Reports all it finds, a file that several codons
 * share once. Never rejects.
 */
export async function checkAttachments(hank: HankFile, source: HankSource): Promise<CheckedAttachments> {
  const seen: Seen = { files: new Map(), problems: collector<ProblemCode>(), source, faults: 0 }
  const sentinels: AttachedSentinel[] = []
  for (const placed of codonsOf(hank)) {
    const ids = new Map<string, Earlier>()
    for (const [at, attachment] of (placed.codon.sentinels ?? []).entries()) {
      const where = `${placed.where}.sentinels[${at}].sentinelConfig`
      if (seen.faults >= mostFaults) {
        seen.problems.error('path/too-many', where, tooManyFaults)
        return { problems: seen.problems.all(), sentinels }
      }
      const loaded = await load(attachment, { placed, where }, seen)
      if (!loaded) {
        seen.faults++
        continue
      }
      const other = ids.get(loaded.config.id)
      if (other) {
        const message = `${placed.label}: ${attachedTwice(loaded, other)}`
        seen.problems.error('sentinel/duplicate-id', where, message)
      }
      ids.set(loaded.config.id, { where, sourcePath: loaded.sourcePath })
      sentinels.push({
        ...loaded,
        codon: placed.where,
        codonId: placed.codon.id,
        settings: attachment.settings ?? {},
      })
    }
  }
  return { problems: seen.problems.all(), sentinels }
}

export type SentinelFile = Pick<AttachedSentinel, 'config' | 'sourcePath' | 'base'>

export interface CheckedSentinelFile {
  /** Only when it has no error. */
  readonly sentinel?: SentinelFile
  readonly problems: readonly Problem<ProblemCode>[]
}

/** Reads one configuration by itself, with the files it names. `path`: relative to the hank directory. Never rejects. */
export async function readSentinelFile(hankDir: string, path: string): Promise<CheckedSentinelFile> {
  const problems = collector<ProblemCode>()
  const read = await readReference(hankDir, { path, label: 'Sentinel' }, { maxBytes: maxConfigBytes })
  if (!read.ok) {
    problems.error(read.code, '', read.message)
    return { problems: problems.all() }
  }
  const source = { directory: hankDir, file: join(hankDir, 'hank.json') }
  const sentinel = await loadFile(read.relative, read.bytes, { source, problems })
  const all = problems.all()
  return sentinel && !hasErrors(all) ? { sentinel, problems: all } : { problems: all }
}

interface Earlier {
  readonly where: string
  readonly sourcePath: string | undefined
}

function attachedTwice({ config, sourcePath }: Loaded, other: Earlier): string {
  if (sourcePath !== undefined && sourcePath === other.sourcePath) {
    return `the sentinel ${sourcePath} is attached twice, first at ${other.where}; remove one, or attach a copy of the file with another id`
  }
  return `two sentinels have the id ${config.id}; the other is ${other.where}. Give one of them another id`
}

interface Seen {
  /** By path relative to the hank directory; undefined for one that is no good, which was said. */
  readonly files: Map<string, Loaded | undefined>
  readonly problems: Collector<ProblemCode>
  faults: number
  readonly source: HankSource
}

type Loaded = SentinelFile

/** Where the hank lies. */
type Home = Pick<HankSource, 'directory' | 'file' | 'overlay'>

interface Attached {
  readonly placed: PlacedCodon
  readonly where: string
}

async function load(
  { sentinelConfig }: SentinelAttachment,
  { placed, where }: Attached,
  seen: Seen,
): Promise<Loaded | undefined> {
  if (typeof sentinelConfig !== 'string') {
    const path = pathOf(where)
    const { config } = checkSentinelConfig(seen.source, path)
    if (!config) return undefined
    const loaded = { config, base: '' }
    seen.problems.add(await checkFiles(loaded, { document: seen.source, path }, seen.source))
    return loaded
  }
  const reference: Reference = { path: sentinelConfig, label: `${placed.label}: sentinelConfig` }
  const { directory, overlay } = seen.source
  const read = await readReference(directory, reference, { maxBytes: maxConfigBytes, overlay })
  if (!read.ok) {
    seen.problems.add([referenceProblem(read, seen.source.spotOf(pathOf(where)))])
    return undefined
  }
  const { relative, bytes } = read
  if (!seen.files.has(relative)) seen.files.set(relative, await loadFile(relative, bytes, seen))
  return seen.files.get(relative)
}

const maxConfigBytes = 1024 * 1024

async function loadFile(
  relative: string,
  bytes: Buffer,
  { source, problems }: { readonly source: Home; readonly problems: Collector<ProblemCode> },
): Promise<Loaded | undefined> {
  const document = parseJsonSource(bytes, {
    file: join(dirname(source.file), relative),
    maxBytes: maxConfigBytes,
  })
  if (!document.ok) {
    problems.add(document.problems)
    return undefined
  }
  const checked = checkSentinelConfig(document)
  const reserved = reservedKeys(document, checked.problems)
  for (const found of [firstOf(document.warnings), checked.problems, reserved]) problems.add(found)
  if (!checked.config || reserved.length > 0) return undefined
  const loaded = { config: checked.config, sourcePath: relative, base: baseOf(relative) }
  problems.add(await checkFiles(loaded, { document, path: [] }, source))
  return loaded
}

/** Where the configuration is written. */
interface Text {
  readonly document: JsonSource
  readonly path: JsonPath
}

async function checkFiles(
  { config, base }: Loaded,
  text: Text,
  source: Home,
): Promise<readonly Problem<ProblemCode>[]> {
  const problems = collector<ProblemCode>()
  const spotOf = (field: JsonPath) => text.document.spotOf([...text.path, ...field])
  const fault = (code: ProblemCode, field: JsonPath, message: string) =>
    problems.error(code, spotOf(field), message)
  const read = async (field: JsonPath, path: string | undefined) => {
    if (path === undefined) return undefined
    const reference: Reference = { path, base, label: `Sentinel ${config.id}: ${nameIn(field)}` }
    const { directory, overlay } = source
    const result = await readReference(directory, reference, { maxBytes: maxPromptBytes, overlay })
    if (result.ok) return result
    problems.add([referenceProblem(result, spotOf(field))])
    return undefined
  }
  await checkPatterns(config, (field, message) => fault('sentinel/pattern', field, message))
  for (const field of ['systemPromptFile', 'userPromptFile'] as const) {
    const paths = config[field]
    if (typeof paths === 'string') await read([field], paths)
    else for (const [at, path] of (paths ?? []).entries()) await read([field, at], path)
  }
  const schema = await read(['structuredOutput', 'schemaFile'], config.structuredOutput?.schemaFile)
  if (schema) problems.add(schemaFaults(schema.bytes, join(dirname(source.file), schema.relative)))
  const inline = config.structuredOutput?.schema
  const wrong = inline && outputSchemaFault(inline)
  if (wrong !== undefined) fault('sentinel/schema', ['structuredOutput', 'schema'], wrong)
  const given = config.structuredOutput?.schemaStr
  const wrongText = given === undefined ? undefined : schemaTextFault(given)
  if (wrongText !== undefined) fault('sentinel/schema', ['structuredOutput', 'schemaStr'], wrongText)
  return problems.all()
}

/** The field that a message names: that of a list, not the place in it. */
function nameIn(field: JsonPath): string {
  return field.findLast(key => typeof key === 'string')?.toString() ?? ''
}

function schemaFaults(bytes: Buffer, file: string): readonly Problem<ProblemCode>[] {
  const parsed = parseJsonSource(bytes, { file, maxBytes: maxPromptBytes })
  if (!parsed.ok) return parsed.problems
  const message = outputSchemaFault(parsed.value)
  if (message === undefined) return []
  return [problemOf({ severity: 'error', code: 'sentinel/schema', message }, parsed.spotOf([]))]
}
