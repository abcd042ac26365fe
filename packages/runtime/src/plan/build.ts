import { basename } from 'node:path'
import { type Codon, type HankFile, isLoop } from '../hank/index.ts'
import type { Plan, PlannedCodon, PlannedText } from './plan.ts'

export interface PlanSource {
  readonly hank: HankFile
  /** The hank file, absolute. */
  readonly path: string
  readonly directory: string
}

/** Turns a checked hank into a plan. A model given from outside replaces that of every codon; the hank's own is a fallback. */
export function buildPlan({ hank, path, directory }: PlanSource, modelOverride?: string): Plan {
  const global = plannedText(hank.globalSystemPromptFile, hank.globalSystemPromptText)
  const modelOf = (codon: Codon) => modelOverride ?? codon.model ?? hank.overrides?.model ?? ''
  return {
    hankName: hank.meta?.name ?? basename(path, '.json'),
    hankDir: directory,
    ...(global && { globalSystemPrompt: global }),
    items: hank.hank
      .flatMap(item => (isLoop(item) ? item.codons : [item]))
      .map(codon => plannedCodon(codon, modelOf(codon))),
  }
}

function plannedCodon(codon: Codon, model: string): PlannedCodon {
  const { id, name, description } = codon
  const append = plannedText(codon.appendSystemPromptFile, codon.appendSystemPromptText)
  return {
    id,
    name,
    ...(description !== undefined && { description }),
    model,
    prompt: plannedText(codon.promptFile, codon.promptText) ?? { text: '' },
    ...(append && { appendSystemPrompt: append }),
  }
}

/** Files win over a text. */
function plannedText(
  file: string | readonly string[] | undefined,
  text: string | undefined,
): PlannedText | undefined {
  if (file !== undefined) return { files: typeof file === 'string' ? [file] : file }
  return text === undefined ? undefined : { text }
}
