import { maxPromptBytes, readReference } from '../hank/index.ts'
import { formatProblem } from '../kit/index.ts'
import type { Plan, PlannedCodon, PlannedText } from '../plan/index.ts'
import { assemblePrompt, type PromptMetadata, type PromptSource } from '../prompt/index.ts'

export type CodonPrompt =
  | {
      readonly ok: true
      readonly prompt: string
      readonly systemPrompt?: string
      readonly exhaustWithPrompt?: string
      /** From the front matter. */
      readonly metadata?: PromptMetadata
      readonly warnings?: readonly string[]
    }
  | { readonly ok: false; readonly message: string }

/** Reads the prompt files of a codon as they are now and puts the texts together. Never rejects. */
export async function codonPrompt(plan: Plan, codon: PlannedCodon, agentRoot: string): Promise<CodonPrompt> {
  const faults: string[] = []
  const source = async (text: PlannedText | undefined, field: string): Promise<PromptSource | undefined> => {
    if (!text || 'text' in text) return text
    const files = await Promise.all(
      text.files.map(async path => {
        const label = `Codon ${codon.id}: ${field}`
        const read = await readReference(plan.hankDir, { path, label }, { maxBytes: maxPromptBytes })
        if (!read.ok) faults.push(read.message)
        return { file: path, text: read.ok ? read.bytes.toString('utf8') : '' }
      }),
    )
    return { files }
  }
  const { prompt, systemPrompt, exhaustWithPrompt, metadata, problems } = await assemblePrompt({
    agentRoot,
    prompt: (await source(codon.prompt, 'promptFile')) ?? {},
    globalSystemPrompt: await source(plan.globalSystemPrompt, 'globalSystemPromptFile'),
    appendSystemPrompt: await source(codon.appendSystemPrompt, 'appendSystemPromptFile'),
    exhaustWithPrompt: codon.exhaustWithPrompt,
  })
  if (faults.length > 0) return { ok: false, message: faults.join('; ') }
  return {
    ok: true,
    prompt,
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(exhaustWithPrompt !== undefined && { exhaustWithPrompt }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    warnings: problems.map(formatProblem),
  }
}
