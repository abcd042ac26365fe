import type { ProblemCode } from '@weave/protocol'
import { collector, type Problem, problemOf, withFixes } from '../kit/index.ts'
import { codonsOf } from './codons.ts'
import type { TreeFinding } from './copied-tree.ts'
import { pathOf } from './places.ts'
import { type PromptFacts, promptComplaints, promptFacts } from './prompt-content.ts'
import type { HankSource } from './read.ts'
import {
  createMissing,
  type Missing,
  type Reference,
  type ReferenceFault,
  readReference,
  resolveReference,
  spellReference,
} from './references.ts'
import type { HankFile } from './schema.ts'

export interface CheckedFiles {
  readonly problems: readonly Problem<ProblemCode>[]
  /** By the path relative to the hank directory, normalised. */
  readonly prompts: ReadonlyMap<string, PromptFacts>
}

/** A prompt larger than this fits no model; it is not even read. */
export const maxPromptBytes = 10 * 1024 * 1024

/** A few at a time: a hank may name thousands of files. */
const atOnce = 8

/** More than anyone reads; each costs a look at the disk. */
export const mostFaults = 1_000
export const tooManyFaults = `there are more than ${mostFaults} problems with files; the rest is not checked`

/**
 * Every prompt file and every copied tree that a hank names: first the spelling of all, then the disk for those that are
 * spelled well; what is odd about a prompt is a warning, once per file. Reports all it finds. Never rejects.
 */
export async function checkNamedFiles(hank: HankFile, source: NamingFile): Promise<CheckedFiles> {
  const problems = collector<ProblemCode>()
  const wellSpelled = [...promptReferences(hank), ...treeReferences(hank)].flatMap(named => {
    const spelled = spellReference(source.directory, named.reference)
    if (spelled.ok) return [{ named, relative: spelled.relative }]
    problems.error(spelled.code, named.where, spelled.message)
    return []
  })

  const missing = createMissing(source.directory)
  const seen: Seen = { source, missing, prompts: new Map(), trees: new Map() }
  let faults = 0
  for (let start = 0; start < wellSpelled.length; start += atOnce) {
    const batch = wellSpelled.slice(start, start + atOnce)
    const found = await Promise.all(
      batch.map(({ named, relative }) =>
        (named.tree ? lookAtTree : lookAtPrompt)(named.reference, relative, seen),
      ),
    )
    for (const [at, { named }] of batch.entries()) {
      const { errors = [], warnings = [] } = found[at] ?? {}
      for (const fault of errors) problems.add([referenceProblem(fault, source.spotOf(pathOf(named.where)))])
      for (const [code, message] of warnings) problems.warning(code, named.where, message)
      faults += errors.length
    }
    if (faults >= mostFaults) {
      problems.error('path/too-many', '', tooManyFaults)
      break
    }
  }
  return { problems: problems.all(), prompts: seen.prompts }
}

/** What is needed of the file that names the others. */
export type NamingFile = Pick<HankSource, 'directory' | 'spotOf' | 'overlay'>

/** With a fix, when something of nearly that name is there. */
export function referenceProblem(
  { code, message, meant }: ReferenceFault,
  spot: ReturnType<NamingFile['spotOf']>,
): Problem<ProblemCode> {
  const problem = problemOf({ severity: 'error', code, message }, spot)
  return withFixes(problem, meant === undefined ? [] : [meant], path => `Write ${path}`)
}

interface Named {
  readonly reference: Reference
  readonly where: string
  readonly tree: boolean
}

function promptReferences(hank: HankFile): readonly Named[] {
  return [
    ...filesAt(hank.globalSystemPromptFile, 'globalSystemPromptFile', 'Global system prompt file'),
    ...codonsOf(hank).flatMap(placed =>
      (['promptFile', 'appendSystemPromptFile'] as const).flatMap(field =>
        filesAt(placed.codon[field], `${placed.where}.${field}`, `${placed.label}: ${field}`),
      ),
    ),
  ]
}

function filesAt(
  paths: string | readonly string[] | undefined,
  where: string,
  label: string,
): readonly Named[] {
  if (paths === undefined) return []
  if (typeof paths === 'string') return [{ reference: { path: paths, label }, where, tree: false }]
  return paths.map((path, at) => ({ reference: { path, label }, where: `${where}[${at}]`, tree: false }))
}

function treeReferences(hank: HankFile): readonly Named[] {
  return codonsOf(hank).flatMap(({ codon, where, label }) =>
    (codon.rigSetup ?? []).flatMap((operation, index) => {
      if (operation.type !== 'copy') return []
      const reference = { path: operation.copy.from, label: `${label}: copy.from` }
      return [{ reference, where: `${where}.rigSetup[${index}].copy.from`, tree: true }]
    }),
  )
}

/** What was looked at, by relative path: a thousand codons may name the same file. */
interface Seen {
  readonly source: NamingFile
  readonly missing: Missing
  readonly prompts: Map<string, PromptFacts>
  /** Scans under way, too: the same large tree is not walked eight times at once. */
  readonly trees: Map<string, Promise<readonly TreeFinding[]>>
}

/** Sentences about one reference. */
interface Findings {
  readonly errors?: readonly ReferenceFault[]
  readonly warnings?: readonly (readonly [ProblemCode, string])[]
}

async function lookAtPrompt(reference: Reference, relative: string, seen: Seen): Promise<Findings> {
  if (seen.prompts.has(relative)) return {}
  const { source, missing } = seen
  const { directory, overlay } = source
  const read = await readReference(directory, reference, { maxBytes: maxPromptBytes, overlay, missing })
  if (!read.ok) return { errors: [read] }
  // Two mentions may have been read at the same time.
  if (seen.prompts.has(relative)) return {}
  seen.prompts.set(relative, promptFacts(read.bytes))
  const about = `${reference.label} ${reference.path}`
  const complaints = promptComplaints(read.bytes)
  return { warnings: complaints.map(([code, complaint]) => [code, `${about} ${complaint}`] as const) }
}

async function lookAtTree(reference: Reference, relative: string, seen: Seen): Promise<Findings> {
  const { path, label } = reference
  if (relative === '') {
    const message = `${path} is the hank directory itself; copy.from must name a file or directory inside it`
    return { errors: [{ code: 'path/kind', message }] }
  }
  const { directory } = seen.source
  const { scanCopiedTree, treeCodes, treeMessage } = await import('./copied-tree.ts')
  let scan = seen.trees.get(relative)
  if (!scan) {
    const resolved = resolveReference(directory, reference)
    if (!resolved.ok) return { errors: [resolved] }
    scan = scanCopiedTree(resolved.path)
    seen.trees.set(relative, scan)
  }
  const faultOf = async (finding: TreeFinding): Promise<ReferenceFault> => {
    const message = treeMessage(finding, path, label)
    const code = treeCodes[finding.kind]
    if (finding.kind !== 'missing') return { code, message }
    return { code, ...(await seen.missing(message, { relative, tree: true })) }
  }
  return { errors: await Promise.all((await scan).map(faultOf)) }
}
