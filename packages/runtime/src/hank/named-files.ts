import type { Problem } from '../kit/index.ts'
import { codonLabel, codonsOf, type PlacedCodon } from './codons.ts'
import { scanCopiedTree, type TreeFinding, treeMessage } from './copied-tree.ts'
import { checkSpelling, type Reference, readReference, resolveReference } from './references.ts'
import type { HankFile } from './schema.ts'

/** What a look at a prompt file told. */
export interface PromptFacts {
  readonly bytes: number
  readonly lines: number
}

export interface CheckedFiles {
  readonly problems: readonly Problem[]
  /** By the path relative to the hank directory, normalised. */
  readonly prompts: ReadonlyMap<string, PromptFacts>
}

/** A prompt larger than this fits no model; it is not even read. */
export const maxPromptBytes = 10 * 1024 * 1024

/**
 * Every prompt file and every copied tree that a hank names: first the spelling of all, then the disk for those that are
 * spelled well. Reports all it finds. Never rejects.
 */
export async function checkNamedFiles(hank: HankFile, hankDir: string): Promise<CheckedFiles> {
  const named = [...promptReferences(hank), ...treeReferences(hank)]
  const problems: Problem[] = []
  const prompts = new Map<string, PromptFacts>()
  const trees = new Map<string, readonly TreeFinding[]>()
  const report = ({ where }: Named, message: string) => problems.push({ severity: 'error', where, message })

  const wellSpelled = named.filter(each => {
    const fault = checkSpelling(hankDir, each.reference)
    if (fault !== undefined) report(each, fault)
    return fault === undefined
  })
  await inBatches(wellSpelled, async each => {
    const faults = each.tree
      ? await lookAtTree(hankDir, each.reference, trees)
      : await lookAtPrompt(hankDir, each.reference, prompts)
    for (const fault of faults) report(each, fault)
  })
  return { problems, prompts }
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
        filesAt(placed.codon[field], `${placed.where}.${field}`, `${codonLabel(placed)}: ${field}`),
      ),
    ),
  ]
}

function filesAt(paths: string | readonly string[] | undefined, where: string, label: string): readonly Named[] {
  if (paths === undefined) return []
  if (typeof paths === 'string') return [{ reference: { path: paths, label }, where, tree: false }]
  return paths.map((path, at) => ({ reference: { path, label }, where: `${where}[${at}]`, tree: false }))
}

function treeReferences(hank: HankFile): readonly Named[] {
  return codonsOf(hank).flatMap(placed =>
    (placed.codon.rigSetup ?? []).flatMap((operation, at) =>
      operation.type === 'copy' ? [treeAt(placed, operation.copy.from, at)] : [],
    ),
  )
}

function treeAt(placed: PlacedCodon, path: string, at: number): Named {
  const label = `${codonLabel(placed)}: copy.from`
  return { reference: { path, label }, where: `${placed.where}.rigSetup[${at}].copy.from`, tree: true }
}

type Faults = readonly string[]

async function lookAtPrompt(
  hankDir: string,
  reference: Reference,
  known: Map<string, PromptFacts>,
): Promise<Faults> {
  const resolved = resolveReference(hankDir, reference)
  if (!resolved.ok) return [resolved.message]
  if (known.has(resolved.relative)) return []
  const read = await readReference(hankDir, reference, { maxBytes: maxPromptBytes })
  if (!read.ok) return [read.message]
  known.set(read.relative, factsOf(read.bytes))
  return []
}

function factsOf(bytes: Buffer): PromptFacts {
  let lines = bytes.length > 0 && bytes.at(-1) !== 0x0a ? 1 : 0
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) lines++
  return { bytes: bytes.length, lines }
}

async function lookAtTree(
  hankDir: string,
  reference: Reference,
  known: Map<string, readonly TreeFinding[]>,
): Promise<Faults> {
  const { path, label } = reference
  const resolved = resolveReference(hankDir, reference)
  if (!resolved.ok) return [resolved.message]
  if (resolved.relative === '') {
    return [`${path} is the hank directory itself; copy.from must name a file or directory inside it`]
  }
  const findings = known.get(resolved.relative) ?? (await scanCopiedTree(resolved.path))
  known.set(resolved.relative, findings)
  return findings.map(finding => treeMessage(finding, path, label))
}

const atOnce = 8

/** In their order, a few at a time: a hank may name ten thousand files. */
async function inBatches<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += atOnce) {
    await Promise.all(items.slice(start, start + atOnce).map(work))
  }
}
