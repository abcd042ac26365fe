import type { ResolvedModel } from '../models/index.ts'

/** Whether the embedded SDK can serve a model. Asked only once its harness is known to be there. */
export type Servable = (provider: string, id: string) => boolean | Promise<boolean>

/** Until somebody can say otherwise, every model of the registry is taken to be servable. */
export const anyModel: Servable = () => true

/**
 * The catalogue preflight: our registry may know a model that the embedded SDK does not, and the codon that names it
 * would fail after earlier ones have spent money. Says what is wrong, if anything is.
 */
export async function catalogueFault(model: ResolvedModel, servable: Servable): Promise<string | undefined> {
  if (model.harness !== 'embedded') return undefined
  if (await servable(model.provider, model.id)) return undefined
  return `The embedded SDK cannot serve ${model.provider}/${model.id}, although the model is known.`
}
