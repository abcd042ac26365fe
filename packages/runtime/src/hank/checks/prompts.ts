import { type Collector, collector, type Problem } from '../../kit/index.ts'
import { codonLabel, codonsOf, type PlacedCodon } from '../codons.ts'
import { misspeltVariables } from '../prompt-content.ts'
import type { HankFile } from '../schema.ts'

/**
 * Where prompts come from: exactly one source where two would quarrel; and what is odd about those that are in the hank
 * itself. Files are looked at together with all other references.
 */
export function checkPrompts(hank: HankFile): readonly Problem[] {
  const problems = collector()
  reportGlobalPrompt(hank, problems)
  for (const placed of codonsOf(hank)) reportCodonPrompts(placed, problems)
  return problems.all()
}

function reportGlobalPrompt(hank: HankFile, problems: Collector): void {
  reportText(hank.globalSystemPromptText, { where: 'globalSystemPromptText', label: '' }, problems)
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
  for (const field of ['promptText', 'appendSystemPromptText', 'exhaustWithPrompt'] as const) {
    reportText(codon[field], { where: `${where}.${field}`, label: `${codonLabel(placed)}: ` }, problems)
  }
}

interface TextPlace {
  readonly where: string
  /** Who speaks, at the beginning of the message. */
  readonly label: string
}

function reportText(text: string | undefined, { where, label }: TextPlace, problems: Collector): void {
  const field = where.slice(where.lastIndexOf('.') + 1)
  for (const complaint of misspeltVariables(text ?? ''))
    problems.warning(where, `${label}${field} ${complaint}`)
}
