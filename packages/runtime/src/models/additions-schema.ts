import * as z from 'zod'
import { dialects } from './custom-provider.ts'
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

export const providerName = z
  .string()
  .refine(name => /^[a-z0-9][a-z0-9._-]*$/.test(name), {
    error: 'expected a provider in lower case letters, digits, ".", "_" or "-"',
  })
  .refine(name => `${name}/` !== forced, {
    error: `${forced} before a name chooses the embedded harness, so it cannot be a provider`,
  })

const facts = {
  id: z.string().refine(id => /^\S+$/.test(id), { error: 'expected a model id without blanks' }),
  name: z.string().min(1).optional().describe('For people; without it, the id.'),
  contextWindow: tokens.optional().describe('Tokens. Without it, the window is not known.'),
  maxOutputTokens: tokens.optional().describe('Tokens that one answer may have.'),
  reasoning: z.boolean().optional().describe('Whether it can think at a level that is asked for.'),
  prices: prices.optional().describe('Without them the price is not known, which is not the same as free.'),
}

/** One model, of a provider that is known or that `providers` describes. */
export const addition = z.strictObject({
  provider: providerName.describe('Whose model it is.'),
  ...facts,
})

/** A model in the list of its provider. */
export const ownModel = z.strictObject(facts)

const address = z.string().refine(isAddress, {
  error: 'expected an address that starts with http:// or https://, without user, query or #',
})

/** A provider, without its models, which are checked one by one. */
export const providerOutline = z.strictObject({
  baseUrl: address
    .optional()
    .describe('Where it answers, with the version path: `http://127.0.0.1:11434/v1`.'),
  api: z
    .enum(dialects)
    .optional()
    .describe('How it is spoken to; without it, `openai-completions` for a provider that is not known.'),
  key: z
    .union([z.literal(false), z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/)])
    .optional()
    .describe(
      'The variable that holds its key, never the key itself; false: it wants none. Without it, the name in capitals with `_API_KEY`, and none for an address on this machine.',
    ),
  models: z
    .array(z.unknown())
    .optional()
    .describe('Without it, any id is taken for one of its models: the server knows what it has.'),
})

/** No user or key hides in it, and a path can be added. */
function isAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) return false
  return [url.username, url.password, url.search, url.hash].every(part => part === '')
}

/** The file around the entries, which are checked one by one. */
export const additionsOutline = z.strictObject({
  $schema: z.string().optional(),
  providers: z.record(z.string(), z.unknown()).optional(),
  models: z.array(z.unknown()).optional(),
})

/** The whole file, for editors. */
export const modelsFile = z
  .strictObject({
    $schema: z.string().optional().describe('The editor schema of this file.'),
    providers: z
      .record(providerName, providerOutline.extend({ models: z.array(ownModel).optional() }))
      .optional()
      .describe('Servers that models are asked at, by the name that stands before the id of a model.'),
    models: z.array(addition).optional().describe('Models that are added, or changed where they are known.'),
  })
  .describe('More models and providers for weave.')

export type Addition = z.infer<typeof addition>
export type AdditionPrices = z.infer<typeof prices>
export type OwnModel = z.infer<typeof ownModel>
export type ProviderOutline = z.infer<typeof providerOutline>
