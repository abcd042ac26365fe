import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rowText } from '../packages/runtime/src/models/catalogue-row.ts'
import {
  type CatalogueFile,
  type CatalogueRow,
  catalogueFile,
  catalogueRow,
  columns,
} from '../packages/runtime/src/models/catalogue-schema.ts'
import { providerNames } from '../packages/runtime/src/models/providers.ts'
import {
  type Amount,
  type GenaiModel,
  type PiModel,
  type PriceSheet,
  type Rates,
  readGenai,
  readPi,
  type Source,
} from './generate-models/sources.ts'

/**
 * Writes the catalogue of models. Run by hand, from unpacked packages (`npm pack` and `tar`; nothing is installed):
 *
 *   tsx scripts/generate-models.ts --pi <pi-ai 1.5.0> --pi <pi-ai 0.87.1> --pi <pi-ai 0.74.2> --prices <genai-prices 0.1.8>
 *
 * The same folders give the same bytes. Rules:
 *
 * 1. Ids, names and windows come from pi-ai only: genai-prices names families, not ids. Of several pi-ai folders the
 *    first that has a model wins, so give the newest first; older ones add what the newest dropped but the embedded SDK
 *    still knows. Only models that chat.
 * 2. Prices: genai-prices counts only with exactly the same id. Where both know a price, the newer data wins.
 * 3. A price of 0 for input and output means that pi-ai does not know, except for an id that ends in `:free`.
 * 4. A cache class without a price of its own costs what input costs: that is how such providers bill it.
 * 5. A price that depends on the hour counts at its dearest; one that begins later than the data, not at all.
 * 6. Where the sources disagree, somebody looked at what each says; the outcome stands in `reviewed` and wins over
 *    everything. An entry without a value says that the rules chose well.
 *
 * Disagreements about a window, input or output that nobody reviewed are printed, except for OpenRouter, whose prices
 * float.
 */
const reviewed: Readonly<Record<string, Review>> = {
  ...each('anthropic', ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'], {
    contextWindow: 200_000,
    because: 'the Claude SDK, genai-prices, pi-ai 0.74 and 1.5 agree; pi-ai 0.87 alone says 1M',
  }),
  'anthropic/claude-3-sonnet-20240229': {
    prices: [3, 15, 0.3, 3.75],
    because: 'pi-ai 0.74 repeats the price of cache reads for writes; genai-prices says 3.75 for the family',
  },
  ...each(
    'openai',
    'gpt-5.4 gpt-5.5 gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra gpt-6-astra gpt-6-luna gpt-6-sol'.split(' '),
    {
      because:
        'genai-prices says 1M; 272k is what the embedded SDK works with and where prices begin to rise',
    },
  ),
  'xai/grok-code-fast-1': { contextWindow: 256_000, because: 'as genai-prices says; pi-ai 0.74 says 32k' },
  'google/gemini-3.1-flash-lite-image': {
    because: 'pi-ai gives the price of image output, genai-prices of text',
  },
  ...each('deepseek', ['deepseek-v4-flash', 'deepseek-v4-pro'], {
    because: 'rules 2 and 5; prices rose in August',
  }),
  ...each('mistral', ['mistral-small-latest'], { because: 'rule 2' }),
  ...each('moonshotai', ['kimi-k2-turbo-preview'], { because: 'rule 2' }),
  ...each('together', ['meta-llama/Llama-3.3-70B-Instruct-Turbo'], { because: 'rule 2' }),
}

/** The day on which the table was last gone through, and the name of prices that come from it. */
const review = { name: 'review', date: '2026-11-15' }

interface Review {
  readonly contextWindow?: number
  readonly prices?: FourPrices
  readonly because: string
}

type FourPrices = NonNullable<CatalogueRow[4]>
type Tiers = NonNullable<CatalogueRow[5]>
interface Priced {
  readonly prices: FourPrices
  readonly tiers: Tiers
}
const root = fileURLToPath(new URL('..', import.meta.url))
const target = join(root, 'packages/runtime/src/models/models.json')
await main()

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { pi: { type: 'string', multiple: true }, prices: { type: 'string' } },
  })
  if (!values.pi || !values.prices) {
    console.error('usage: generate-models.ts --pi <folder> [--pi <older folder> …] --prices <folder>')
    process.exitCode = 2
    return
  }
  const pi = await Promise.all(values.pi.map(readPi))
  const file = catalogueOf(pi, await readGenai(values.prices))
  writeFileSync(target, formatted(catalogueFile.parse(file)))
}

function catalogueOf(pi: readonly Source<PiModel>[], genai: Source<GenaiModel>): CatalogueFile {
  const models: CatalogueFile['models'] = {}
  for (const provider of providerNames) {
    const groups: CatalogueFile['models'][string] = {}
    const ids = new Set(pi.flatMap(source => [...source.models.values()].filter(of(provider)).map(idOf)))
    for (const id of [...ids].sort()) {
      const { source, row } = rowOf(`${provider}/${id}`, pi, genai)
      groups[source] = [...(groups[source] ?? []), rowText(catalogueRow.parse(row))]
    }
    models[provider] = Object.fromEntries(
      Object.entries(groups).sort(([left], [right]) => (left < right ? -1 : 1)),
    )
  }
  const sources = [...pi, genai, review].map(({ name, date }) => [name, date])
  return { columns: [...columns], sources: Object.fromEntries(sources), models }
}

function rowOf(key: string, pi: readonly Source<PiModel>[], genai: Source<GenaiModel>) {
  const source = pi.find(({ models }) => models.has(key))
  const model = source?.models.get(key)
  if (!source || !model) throw new Error(`${key} is in no source`)
  const other = genai.models.get(key)
  const looked = reviewed[key]
  const mine = piPrices(model)
  const theirs = other && genaiPrices(other, genai.date)
  const theirsWin = theirs !== undefined && (mine === undefined || genai.date > source.date)
  const won = looked?.prices ? { prices: looked.prices, tiers: [] } : theirsWin ? theirs : mine
  if (!looked && !key.startsWith('openrouter/')) report({ key, model, other, mine, theirs })

  const window = looked?.contextWindow ?? model.contextWindow ?? other?.context_window
  if (window === undefined) throw new Error(`${key} has no context window`)
  const row: CatalogueRow = [
    model.id,
    model.name,
    window,
    Math.min(model.maxTokens ?? window, window),
    won?.prices ?? null,
  ]
  if (won && won.tiers.length > 0) row.push(won.tiers)
  return { source: looked?.prices ? review.name : theirsWin ? genai.name : source.name, row }
}

interface Compared {
  readonly key: string
  readonly model: PiModel
  readonly other: GenaiModel | undefined
  readonly mine: Priced | undefined
  readonly theirs: Priced | undefined
}

function report({ key, model, other, mine, theirs }: Compared): void {
  const windows = [model.contextWindow, other?.context_window]
  const ratio = (windows[0] ?? 1) / (windows[1] ?? windows[0] ?? 1)
  // One source rounds 1,048,576 to a million; that is not worth a person's look.
  if (ratio < 0.9 || ratio > 1.1) console.error(`window of ${key}: ${windows.join(' or ')}`)
  if (mine && theirs && (mine.prices[0] !== theirs.prices[0] || mine.prices[1] !== theirs.prices[1])) {
    console.error(`prices of ${key}: ${mine.prices.join(' ')} or ${theirs.prices.join(' ')}`)
  }
}

function piPrices({ id, cost }: PiModel): Priced | undefined {
  if (cost.input === 0 && cost.output === 0 && !id.endsWith(':free')) return undefined
  const tiers = cost.tiers.map((tier): Tiers[number] => [tier.inputTokensAbove, ...four(tier)])
  return { prices: four(cost), tiers: tiers.sort((left, right) => left[0] - right[0]) }
}

function genaiPrices({ prices }: GenaiModel, today: string): Priced | undefined {
  if (!Array.isArray(prices)) return pricedBy(prices)
  const begun = prices.filter(({ constraint }) => (constraint?.start_date ?? '') <= today)
  const hourly = begun.filter(({ constraint }) => constraint?.type === 'time_of_date')
  const always = begun.filter(entry => !hourly.includes(entry)).at(-1)
  const candidates = [always, ...hourly].flatMap(entry => pricedBy(entry?.prices ?? {}) ?? [])
  return candidates.sort((left, right) => right.prices[0] - left.prices[0])[0]
}

function pricedBy(prices: PriceSheet): Priced | undefined {
  const at = (start: number) => (value: Amount | undefined) => {
    if (value === undefined || typeof value === 'number') return value ?? 0
    return value.tiers.findLast(tier => tier.start <= start)?.price ?? value.base
  }
  const fourAt = (start: number) =>
    four({
      input: at(start)(prices.input_mtok),
      output: at(start)(prices.output_mtok),
      cacheRead: at(start)(prices.cache_read_mtok),
      cacheWrite: at(start)(prices.cache_write_mtok),
    })
  if (prices.input_mtok === undefined || prices.output_mtok === undefined) return undefined
  const starts = Object.values(prices).flatMap(value =>
    typeof value === 'object' ? value.tiers.map(tier => tier.start) : [],
  )
  const thresholds = [...new Set(starts)].sort((left, right) => left - right)
  return { prices: fourAt(0), tiers: thresholds.map(start => [start, ...fourAt(start)]) }
}

function four({ input, output, cacheRead, cacheWrite }: Rates): FourPrices {
  const exact = (dollars: number) => Number(dollars.toFixed(6))
  return [exact(input), exact(output), exact(cacheRead || input), exact(cacheWrite || input)]
}

function each(provider: string, ids: readonly string[], review: Review): Record<string, Review> {
  return Object.fromEntries(ids.map(id => [`${provider}/${id}`, review]))
}

function of(provider: string): (model: PiModel) => boolean {
  return model => model.provider === provider
}

function idOf({ id }: PiModel): string {
  return id
}

function formatted(file: CatalogueFile): string {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const input = JSON.stringify(file)
  return execFileSync(process.execPath, [biome, 'format', `--stdin-file-path=${target}`], {
    cwd: root,
    input,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  })
}
