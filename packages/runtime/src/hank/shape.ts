import { hasErrors, type JsonSource, type Problem, shapeFits } from '../kit/index.ts'
import hankShape from './hank-shape.json' with { type: 'json' }
import { mostKeys } from './limits.ts'
import type { HankFile } from './schema.ts'

export type CheckedShape =
  | { readonly hank: HankFile; readonly problems: readonly Problem[] }
  | { readonly hank?: undefined; readonly problems: readonly Problem[] }

const fits = shapeFits(hankShape, { maxKeys: mostKeys })

/**
 * The first step of a load: does the file have the shape of a hank? The hank is what was written, without defaults: rules
 * and warnings ask whether a field is there.
 *
 * The schema, in `schema.ts`, takes longer to set up than all the rest of a load. So a good file is recognised by what
 * `npm run generate` has written down of that schema, and only what is not gets to meet the schema itself.
 */
export async function checkShape(source: JsonSource): Promise<CheckedShape> {
  const hank = source.value as HankFile
  if (fits(source.value)) return { hank, problems: [] }
  const { shapeFaults } = await import('./shape-faults.ts')
  const problems = shapeFaults(source)
  return hasErrors(problems) ? { problems } : { hank, problems }
}
