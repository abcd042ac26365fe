import type { Problem } from '../../kit/index.ts'
import type { CheckContext } from '../check.ts'
import { codonLabel, codonsOf, effectiveModel } from '../codons.ts'
import type { HankFile } from '../schema.ts'

/** Every codon has a model from somewhere. Whether the model exists is not asked here. */
export function checkModels(hank: HankFile, context: CheckContext): readonly Problem[] {
  return codonsOf(hank)
    .filter(({ codon }) => effectiveModel(codon, hank, context.modelOverride) === undefined)
    .map(placed => ({
      severity: 'error',
      where: placed.where,
      message: `${codonLabel(placed)}: has no model. Give the codon a model, or the whole hank one in overrides.model.`,
    }))
}
