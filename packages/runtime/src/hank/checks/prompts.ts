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
const readsAtOnce = 16

/** One word per file, at its first mention, in the order of the hank. */
async function checkPromptFiles(hankDir: string, mentions: readonly PromptFile[]): Promise<Problem[]> {
  const firsts = new Map<string, PromptFile>()
  for (const file of mentions) if (!firsts.has(file.path)) firsts.set(file.path, file)
  const files = [...firsts.values()]
  const found: Problem[][] = []
  for (let at = 0; at < files.length; at += readsAtOnce) {
    const some = files.slice(at, at + readsAtOnce)
    found.push(...(await Promise.all(some.map(file => checkPromptFile(hankDir, file)))))
  }
  return found.flat()
}

/** Silent about a file that cannot be read, is missing or lies elsewhere: the check of references speaks of those. */
async function checkPromptFile(hankDir: string, { path, where, label }: PromptFile): Promise<Problem[]> {
  const resolved = resolveInside(hankDir, path)
  if (!resolved.ok) return []
  const read = await readRegularFile(resolved.path, { maxBytes: largestPrompt })
  const warning = (message: string): Problem[] => [{ severity: 'warning', where, message }]
  if (!read.ok) {
    if (read.reason !== 'too-large') return []
    return warning(
      `${label} ${shown(path)} is larger than 1 MB. Shorten it, or let the agent read it as data.`,
    )
  }
  if (read.bytes.toString('utf8').trim() !== '') return []
  return warning(`${label} ${shown(path)} is empty. Write the prompt, or remove the reference.`)
}
