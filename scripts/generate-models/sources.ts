import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { providerNames } from '../../packages/runtime/src/models/providers.ts'

/** Reads the two data sets from their unpacked packages, as they are. */

/** Days of packages that do not carry the day of their data: when they were published. */
const published: Readonly<Record<string, string>> = {
  'pi-ai 0.74.2': '2026-07-12',
  'genai-prices 0.1.8': '2026-09-23',
}

/** Where genai-prices calls a provider by another name. */
const otherNames: Readonly<Record<string, string>> = { xai: 'x-ai' }

export interface Source<Item> {
  readonly name: string
  readonly date: string
  /** `provider/id` to what the source says. */
  readonly models: ReadonlyMap<string, Item>
}

const rates = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number().default(0),
  cacheWrite: z.number().default(0),
})
const piModel = z.object({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  type: z.string().default('chat'),
  contextWindow: z.number().optional(),
  maxTokens: z.number().optional(),
  cost: rates.extend({ tiers: z.array(rates.extend({ inputTokensAbove: z.number() })).default([]) }),
})
export type PiModel = z.infer<typeof piModel>

const amount = z.union([
  z.number(),
  z.object({ base: z.number(), tiers: z.array(z.object({ start: z.number(), price: z.number() })) }),
])
const sheet = z.object({
  input_mtok: amount.optional(),
  output_mtok: amount.optional(),
  cache_read_mtok: amount.optional(),
  cache_write_mtok: amount.optional(),
})
const dated = z.object({
  constraint: z.object({ type: z.string(), start_date: z.string().optional() }).optional(),
  prices: sheet,
})
const genaiModel = z.object({
  id: z.string(),
  context_window: z.number().optional(),
  prices: z.union([z.array(dated), sheet]),
})
const genaiProvider = z.object({ id: z.string(), models: z.array(genaiModel) })
export type GenaiModel = z.infer<typeof genaiModel>

export type Rates = z.infer<typeof rates>
export type Amount = z.infer<typeof amount>
export type PriceSheet = z.infer<typeof sheet>

export async function readPi(folder: string): Promise<Source<PiModel>> {
  const name = nameOf(folder)
  const data = join(folder, 'dist/providers/data')
  const found = existsSync(data) ? jsonFilesIn(data) : [await generatedModels(folder)]
  const models = z
    .array(z.record(z.string(), z.record(z.string(), piModel)))
    .parse(found)
    .flatMap(groups => Object.values(groups).flatMap(group => Object.values(group)))
    .filter(model => model.type === 'chat')
  const manifest = join(data, '.manifest.json')
  const day = existsSync(manifest)
    ? z.object({ generatedAt: z.string() }).parse(jsonOf(manifest)).generatedAt.slice(0, 10)
    : dayOf(name)
  return { name, date: day, models: new Map(models.map(model => [`${model.provider}/${model.id}`, model])) }
}

async function generatedModels(folder: string): Promise<unknown> {
  const file = pathToFileURL(resolve(folder, 'dist/models.generated.js')).href
  return z.object({ MODELS: z.unknown() }).parse(await import(file)).MODELS
}

export async function readGenai(folder: string): Promise<Source<GenaiModel>> {
  const name = nameOf(folder)
  const library: unknown = await import(pathToFileURL(resolve(folder, 'dist/index.js')).href)
  const { findProvider } = z
    .object({ findProvider: z.function({ input: [z.unknown()], output: z.unknown() }) })
    .parse(library)
  const entries = providerNames.flatMap(provider => {
    const id = otherNames[provider] ?? provider
    const row = genaiProvider.safeParse(findProvider({ providerId: id })).data
    // It finds by likeness: asked for a mirror it answers with the original, whose prices differ.
    return (row?.id === id ? row.models : []).map(model => [`${provider}/${model.id}`, model] as const)
  })
  return { name, date: dayOf(name), models: new Map(entries) }
}

/** `pi-ai 1.5.0`, from the manifest of the package. */
function nameOf(folder: string): string {
  const manifest = z
    .object({ name: z.string(), version: z.string() })
    .parse(jsonOf(join(folder, 'package.json')))
  return `${manifest.name.replace(/^.*\//, '')} ${manifest.version}`
}

function dayOf(name: string): string {
  const day = published[name]
  if (day === undefined) throw new Error(`${name} does not say its day; add it to the table "published"`)
  return day
}

function jsonFilesIn(folder: string): unknown[] {
  const names = readdirSync(folder).filter(name => name.endsWith('.json') && !name.startsWith('.'))
  return names.sort().map(name => jsonOf(join(folder, name)))
}

function jsonOf(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}
