import type { Problem } from '../../kit/index.ts'
import { codonLabel, codonsOf } from '../codons.ts'
import type { HankFile } from '../schema.ts'

/** `retryConfig` belongs to `onFailure: retry` and to nothing else; its ranges are part of the shape. */
export function checkRetry(hank: HankFile): readonly Problem[] {
  return codonsOf(hank).flatMap(placed => {
    const { onFailure, retryConfig } = placed.codon
    if (retryConfig === undefined || onFailure === 'retry') return []
    const now = onFailure === undefined ? 'the default, "abort"' : `"${onFailure}"`
    return [
      {
        severity: 'error',
        where: `${placed.where}.retryConfig`,
        message: `${codonLabel(placed)}: retryConfig needs onFailure "retry", but onFailure is ${now}. Set onFailure to "retry" or remove retryConfig.`,
      },
    ]
  })
}
