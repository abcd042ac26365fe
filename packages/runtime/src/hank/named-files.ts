import { collector, type Problem } from '../kit/index.ts'
import { codonsOf } from './codons.ts'
import type { TreeFinding } from './copied-tree.ts'
import { type PromptFacts, promptComplaints, promptFacts } from './prompt-content.ts'
import {
  createMissingHint,
  type MissingHint,
  type Reference,
  readReference,
  resolveReference,
  spellReference,
} from './references.ts'
import type { HankFile } from './schema.ts'

export interface CheckedFiles {
  readonly problems: readonly Problem[]
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
export async function checkNamedFiles(hank: HankFile, hankDir: string): Promise<CheckedFiles> {
  const problems = collector()
  const wellSpelled = [...promptReferences(hank), ...treeReferences(hank)].flatMap(named => {
    const spelled = spellReference(hankDir, named.reference)
    if (spelled.ok) return [{ named, relative: spelled.relative }]
    problems.error(named.where, spelled.message)
    return []
  })

  const seen: Seen = { hankDir, hintAt: createMissingHint(hankDir), prompts: new Map(), trees: new Map() }
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
      for (const message of errors) problems.error(named.where, message)
      for (const message of warnings) problems.warning(named.where, message)
      faults += errors.length
    }
    if (faults >= mostFaults) {
      problems.error('', tooManyFaults)
      break
    }
  }
  return { problems: problems.all(), prompts: seen.prompts }
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
  readonly hankDir: string
  readonly hintAt: MissingHint
  readonly prompts: Map<string, PromptFacts>
  /** Scans under way, too: the same large tree is not walked eight times at once. */
  readonly trees: Map<string, Promise<readonly TreeFinding[]>>
}

/** Sentences about one reference. */
interface Findings {
  readonly errors?: readonly string[]
  readonly warnings?: readonly string[]
}

async function lookAtPrompt(reference: Reference, relative: string, seen: Seen): Promise<Findings> {
  if (seen.prompts.has(relative)) return {}
  const read = await readReference(seen.hankDir, reference, { ...seen, maxBytes: maxPromptBytes })
  if (!read.ok) return { errors: [read.message] }
  // Two mentions may have been read at the same time.
  if (seen.prompts.has(relative)) return {}
  seen.prompts.set(relative, promptFacts(read.bytes))
  const about = `${reference.label} ${reference.path}`
  return { warnings: promptComplaints(read.bytes).map(complaint => `${about} ${complaint}`) }
}

async function lookAtTree(reference: Reference, relative: string, seen: Seen): Promise<Findings> {
  const { path, label } = reference
  if (relative === '') {
    return {
      errors: [`${path} is the hank directory itself; copy.from must name a file or directory inside it`],
    }
  }
  const { scanCopiedTree, treeMessage } = await import('./copied-tree.ts')
  let scan = seen.trees.get(relative)
  if (!scan) {
    const resolved = resolveReference(seen.hankDir, reference)
    if (!resolved.ok) return { errors: [resolved.message] }
    scan = scanCopiedTree(resolved.path)
    seen.trees.set(relative, scan)
  }
  const errors: string[] = []
  for (const finding of await scan) {
    const hint = finding.kind === 'missing' ? await seen.hintAt(relative, { tree: true }) : ''
    errors.push(treeMessage(finding, path, label) + hint)
  }
  return { errors }
}
