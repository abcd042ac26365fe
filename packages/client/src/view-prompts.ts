import type { EventData } from '@weave/protocol'
import { fieldsOf, listOf } from './unknown-fields.ts'
import { type PromptFiles, viewCaps } from './view-model.ts'

/** Read off a plan that came over the wire, whose shape nobody vouches for: what does not fit is passed over. */
export function promptsOfPlan(plan: NonNullable<EventData<'preflight.result'>['plan']>): PromptFiles {
  const { hankDir, items } = plan
  const codons = listOf(items).flatMap(item => [item, ...listOf(fieldsOf(item)['codons'])])
  const entries = codons.flatMap((codon): readonly (readonly [string, readonly string[]])[] => {
    const { id, prompt } = fieldsOf(codon)
    const files = listOf(fieldsOf(prompt)['files']).filter(file => typeof file === 'string')
    return typeof id === 'string' && files.length > 0 ? [[id, files]] : []
  })
  return {
    directory: typeof hankDir === 'string' ? hankDir : '',
    files: Object.fromEntries(entries.slice(0, viewCaps.limits)),
  }
}
