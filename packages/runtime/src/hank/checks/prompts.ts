import { at, codonsOf, type PlacedCodon, type Subject } from '../codons.ts'
import { misspeltVariables } from '../prompt-content.ts'
import type { HankFile } from '../schema.ts'
import type { Report } from './check.ts'

/**
 * Where prompts come from: exactly one source where two would quarrel; and what is odd about those that are in the hank
 * itself. Files are looked at together with all other references.
 */
export function checkPrompts(hank: HankFile, report: Report): void {
  const { globalSystemPromptFile: file, globalSystemPromptText: text } = hank
  const place = 'globalSystemPromptText'
  reportText(text, { about: place, field: place }, report)
  if (file !== undefined && text !== undefined) {
    report.error(place, `globalSystemPromptFile and ${place} cannot be used together. Keep one of them.`)
  }
  for (const placed of codonsOf(hank)) reportCodonPrompts(placed, report)
}

function reportCodonPrompts(placed: PlacedCodon, report: Report): void {
  const { codon } = placed
  if (codon.promptFile === undefined && (codon.promptText ?? '').trim() === '') {
    const what =
      codon.promptText === undefined ? 'has no prompt' : 'has an empty promptText and no promptFile'
    report.error(placed, `${what}. Add promptFile or promptText.`)
  }
  if (codon.appendSystemPromptFile !== undefined && codon.appendSystemPromptText !== undefined) {
    report.error(
      at(placed, 'appendSystemPromptText'),
      'appendSystemPromptFile and appendSystemPromptText cannot be used together. Keep one of them.',
    )
  }
  for (const field of ['promptText', 'appendSystemPromptText', 'exhaustWithPrompt'] as const)
    reportText(codon[field], { about: at(placed, field), field }, report)
}

interface TextPlace {
  readonly about: Subject | string
  readonly field: string
}

function reportText(text: string | undefined, { about, field }: TextPlace, { warning }: Report): void {
  for (const complaint of misspeltVariables(text ?? '')) warning(about, `${field} ${complaint}`)
}
