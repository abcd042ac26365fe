import { lstatSync } from 'node:fs'
import { type Collector, collector, type Problem, readRegularFile, resolveInside } from '../../kit/index.ts'
import type { CheckContext } from '../check.ts'
import { codonLabel, codonsOf, type PlacedCodon } from '../codons.ts'
import type { HankFile } from '../schema.ts'
import { shown } from './labels.ts'

/** Where prompts come from: exactly one source where two would quarrel, and files that hold a prompt of a sane size. */
export async function checkPrompts(hank: HankFile, { hankDir }: CheckContext): Promise<readonly Problem[]> {
  const problems = collector()
  reportGlobalPrompt(hank, problems)
  const codons = codonsOf(hank)
  for (const placed of codons) reportCodonPrompts(placed, problems)
  problems.add(await checkPromptFiles(hankDir, [...globalFiles(hank), ...codons.flatMap(codonFiles)]))
  return problems.all()
}

function reportGlobalPrompt(hank: HankFile, problems: Collector): void {
  if (hank.globalSystemPromptFile === undefined || hank.globalSystemPromptText === undefined) return
  problems.error(
    'globalSystemPromptText',
    'globalSystemPromptFile and globalSystemPromptText cannot be used together. Keep one of them.',
  )
}

function reportCodonPrompts(placed: PlacedCodon, problems: Collector): void {
  const { codon, where } = placed
  if (codon.promptFile === undefined && (codon.promptText ?? '').trim() === '') {
    const what =
      codon.promptText === undefined ? 'has no prompt' : 'has an empty promptText and no promptFile'
    problems.error(where, `${codonLabel(placed)}: ${what}. Add promptFile or promptText.`)
  }
  if (codon.appendSystemPromptFile !== undefined && codon.appendSystemPromptText !== undefined) {
    problems.error(
      `${where}.appendSystemPromptText`,
      `${codonLabel(placed)}: appendSystemPromptFile and appendSystemPromptText cannot be used together. Keep one of them.`,
    )
  }
}

interface PromptFile {
  readonly path: string
  readonly where: string
  /** How a message about it begins: `Codon 1 (draft): promptFile`. */
  readonly label: string
}

function globalFiles(hank: HankFile): readonly PromptFile[] {
  const field = 'globalSystemPromptFile'
  return filesIn(hank[field], { where: field, label: field })
}

function codonFiles(placed: PlacedCodon): readonly PromptFile[] {
  return (['promptFile', 'appendSystemPromptFile'] as const).flatMap(field =>
    filesIn(placed.codon[field], {
      where: `${placed.where}.${field}`,
      label: `${codonLabel(placed)}: ${field}`,
    }),
  )
}

function filesIn(paths: string | readonly string[] | undefined, at: Omit<PromptFile, 'path'>): PromptFile[] {
  if (paths === undefined) return []
  if (typeof paths === 'string') return [{ ...at, path: paths }]
  return paths.map((path, index) => ({ path, where: `${at.where}[${index}]`, label: at.label }))
}

/** The largest prompt file without a warning; 1 MB in the specification is 1,048,576 bytes here. */
const largestPrompt = 1024 * 1024

/** Files up to this size are read, because a stray newline makes no prompt; to read them all would take too long. */
const smallestPrompt = 8

/** One word per file, at its first mention, in the order of the hank. */
async function checkPromptFiles(hankDir: string, mentions: readonly PromptFile[]): Promise<Problem[]> {
  const firsts = new Map<string, PromptFile>()
  for (const file of mentions) if (!firsts.has(file.path)) firsts.set(file.path, file)
  const problems: Problem[] = []
  for (const { path, where, label } of firsts.values()) {
    const complaint = await complaintAbout(hankDir, path)
    if (complaint === undefined) continue
    problems.push({ severity: 'warning', where, message: `${label} ${shown(path)} ${complaint}` })
  }
  return problems
}

/** Silent about a file that is missing, unreadable or elsewhere: the check of references speaks of those. */
async function complaintAbout(hankDir: string, path: string): Promise<string | undefined> {
  const resolved = resolveInside(hankDir, path)
  if (!resolved.ok) return undefined
  const size = sizeOf(resolved.path)
  if (size === undefined || (size > smallestPrompt && size <= largestPrompt)) return undefined
  if (size > largestPrompt) return 'is larger than 1 MB. Shorten it, or let the agent read it as data.'
  const read = await readRegularFile(resolved.path, { maxBytes: smallestPrompt })
  if (!read.ok || read.bytes.toString('utf8').trim() !== '') return undefined
  return 'is empty. Write the prompt, or remove the reference.'
}

/** Of a regular file; a look at the entry alone waits for nothing. */
function sizeOf(path: string): number | undefined {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat?.isFile() ? stat.size : undefined
  } catch {
    return undefined
  }
}
