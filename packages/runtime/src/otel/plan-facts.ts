import { fieldOf, fieldsOf, listOf, textOf } from '../kit/index.ts'

/** What a plan, as it stands in a journal, says of a codon. An older one may say less. */
export interface CodonFacts {
  readonly provider?: string | undefined
  readonly harness?: string | undefined
  /** How many operations its rig has. */
  readonly rig: number
}

export interface PlanFacts {
  readonly hankName?: string | undefined
  codon(codonId: string): CodonFacts
  /** The provider of a model that some codon uses. */
  providerOf(modelId: string): string | undefined
}

const nothing: CodonFacts = { rig: 0 }

export function planFacts(plan: unknown): PlanFacts {
  const codons = listOf(fieldOf(plan, 'items')).flatMap(item =>
    fieldOf(item, 'kind') === 'loop' ? listOf(fieldOf(item, 'codons')) : [item],
  )
  const byId = new Map<string, CodonFacts>()
  const byModel = new Map<string, string>()
  for (const codon of codons) {
    const model = fieldsOf(fieldOf(codon, 'model'))
    const [id, modelId, provider] = [
      textOf(fieldOf(codon, 'id')),
      textOf(model['id']),
      textOf(model['provider']),
    ]
    if (modelId !== undefined && provider !== undefined) byModel.set(modelId, provider)
    if (id === undefined) continue
    byId.set(id, { provider, harness: textOf(model['harness']), rig: listOf(fieldOf(codon, 'rig')).length })
  }
  return {
    hankName: textOf(fieldOf(plan, 'hankName')),
    codon: codonId => byId.get(codonId) ?? nothing,
    providerOf: modelId => byModel.get(modelId),
  }
}

/** `review#2` is an iteration of the codon `review`. */
export function codonIdOf(runtimeId: string): string {
  return runtimeId.replace(/#\d+$/, '')
}
