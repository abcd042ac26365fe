import type { CheckContext } from '../check.ts'
import type { Codon, HankFile } from '../schema.ts'

/**
 * The model a codon would run with, as it is written: the override for all, else its own, else the hank's fallback.
 * Undefined when nothing gives one, which the rules about models report.
 */
export function effectiveModel(
  codon: Codon,
  hank: HankFile,
  context: Pick<CheckContext, 'modelOverride'>,
): string | undefined {
  return context.modelOverride ?? codon.model ?? hank.overrides?.model
}
