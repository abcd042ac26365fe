import * as z from 'zod'

/**
 * The shape of `models.json`, which `scripts/generate-models.ts` writes: a table, because a table of some 1,400 rows is
 * a third of the size of as many objects and can still be read and compared line by line.
 *
 * `models` goes by provider, then by source; each row is a text with the cells of `columns` (see `catalogue-row.ts`).
 */
const tokens = z.int().positive()
const dollars = z.number().nonnegative()
const day = z.iso.date()

export const columns = [
  'id',
  'name',
  'contextWindow',
  'maxOutputTokens',
  'dollars per million tokens: input output cacheRead cacheWrite, or unknown',
  'the same above a number of input tokens: above: input output cacheRead cacheWrite; …',
] as const

const prices = z.tuple([dollars, dollars, dollars, dollars])
const tier = z.tuple([tokens, dollars, dollars, dollars, dollars])

/** The cells of a row. */
export const catalogueRow = z.tuple([
  z.string().min(1),
  z.string().min(1),
  tokens,
  tokens,
  prices.nullable(),
  z.array(tier).min(1).optional(),
])

export const catalogueFile = z.strictObject({
  columns: z.array(z.string()),
  sources: z.record(z.string(), day).describe('Each source and the day of its data.'),
  models: z.record(z.string(), z.record(z.string(), z.array(z.string()).min(1))),
})

export type CatalogueRow = z.infer<typeof catalogueRow>
export type CatalogueFile = z.infer<typeof catalogueFile>
