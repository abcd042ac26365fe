import * as z from 'zod'
import { forced } from './model.ts'

/** The shape of a file with which a person adds models to the catalogue or corrects it. */

const tokens = z.int().positive()
const dollars = z.number().nonnegative()
const isDay = (text: string) => z.iso.date().safeParse(text).success

const tokenPrices = {
  input: dollars.describe('Dollars per million tokens.'),
  output: dollars.describe('Dollars per million tokens.'),
  cacheRead: dollars.optional().describe('Dollars per million tokens; without it, the price of input.'),
  cacheWrite: dollars.optional().describe('Dollars per million tokens; without it, the price of input.'),
}

const prices = z.strictObject({
  ...tokenPrices,
  tiers: z
    .array(z.strictObject({ above: tokens, ...tokenPrices }))
    .optional()
    .describe('Prices of a whole request with more input tokens than `above`.'),
  source: z.string().min(1).optional().describe('Who says so; without it, this file.'),
  date: z
    .string()
    .refine(isDay, { error: 'expected a day such as 2026-11-02' })
    .optional()
    .describe('The day on which the price was looked up.'),
})

export const addition = z.strictObject({
  provider: z
    .string()
    .refine(name => /^[a-z0-9][a-z0-9._-]*$/.test(name), {
      error: 'expected a provider in lower case letters, digits, ".", "_" or "-"',
    })
    .refine(name => `${name}/` !== forced, {
      error: `${forced} before a name chooses the embedded harness, so it cannot be a provider`,
    }),
  id: z.string().refine(id => /^\S+$/.test(id), { error: 'expected a model id without blanks' }),
  name: z.string().min(1).optional().describe('For people; without it, the id.'),
  contextWindow: tokens.optional().describe('Needed for a model that the catalogue does not have.'),
  maxOutputTokens: tokens.optional(),
  prices: prices.optional().describe('Without them the price is not known.'),
})

/** The file around the entries, which are checked one by one. */
export const additionsOutline = z.strictObject({
  $schema: z.string().optional(),
  models: z.array(z.unknown()),
})

export type Addition = z.infer<typeof addition>
export type AdditionPrices = z.infer<typeof prices>
