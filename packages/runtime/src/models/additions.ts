import { lstatSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProblemCode } from '@weave/protocol'
import { readRegularFile } from '../files/index.ts'
import {
  type Collector,
  collector,
  errorCode,
  type JsonSource,
  type Problem,
  parseJsonSource,
  shapeProblems,
} from '../kit/index.ts'
import type { Addition, AdditionPrices } from './additions-schema.ts'
import { fullName, type Model, type ModelIndex, type Prices, type TokenPrices } from './model.ts'

/**
 * What these files add to the known models or change of them, a later file over an earlier one. A model that is changed
 * twice comes once.
 *
 * An addition for a provider and id that is there already replaces the fields it gives; one for a new model must say
 * the context window. An entry with something wrong in it is left out and reported, the others count.
 */
export async function readAdditions(
  files: readonly AdditionsFile[],
  known: Pick<ModelIndex, 'find'>,
): Promise<{ readonly added: readonly Model[]; readonly problems: readonly Problem<ProblemCode>[] }> {
  const added = new Map<string, Model>()
  const problems = collector<ProblemCode>()
  for (const file of files) {
    if (!file.required && isMissing(file.path)) continue
    const source = await readSource(file, problems)
    // Few people have such a file; what checks it takes long to set up.
    const schema = source && (await import('./additions-schema.ts'))
    if (source && schema) addAll({ source, schema, file: file.path, known, added, problems })
  }
  return { added: [...added.values()], problems: problems.all() }
}

/** Mostly it is, and then one quick look is enough. */
function isMissing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

const maxBytes = 4 * 1024 * 1024

/** The file is the person's own, so it may be a link to where they keep such files. */
async function readSource(
  { path, required }: AdditionsFile,
  problems: Collector<ProblemCode>,
): Promise<JsonSource | undefined> {
  const fault = (message: string) =>
    problems.error('model/file', { where: '', place: { file: path, line: 1, column: 1 } }, message)
  try {
    const read = await readRegularFile(await realpath(path), { maxBytes })
    const parsed = read.ok ? parseJsonSource(read.bytes, { file: path, maxBytes }) : undefined
    if (!read.ok) fault(`the model file cannot be read: ${read.message}`)
    if (parsed?.ok === false) problems.add(parsed.problems)
    return parsed?.ok ? parsed : undefined
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error'
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR'
    if (!isMissing) fault(`the model file cannot be read: ${code}`)
    else if (required) fault('the model file does not exist')
    return undefined
  }
}

interface Job {
  readonly source: JsonSource
  readonly schema: typeof import('./additions-schema.ts')
  readonly file: string
  readonly known: Pick<ModelIndex, 'find'>
  readonly added: Map<string, Model>
  readonly problems: Collector<ProblemCode>
}

function addAll(job: Job): void {
  const { source, file, known, added, problems } = job
  const { addition } = job.schema
  problems.add(source.warnings)
  const seen = new Set<string>()
  for (const [index, entry] of entriesOf(job).entries()) {
    const base = ['models', index]
    const checked = addition.safeParse(entry)
    if (!checked.success) {
      problems.add(shapeProblems(checked.error, source, { family: 'model', schema: addition, base }))
      continue
    }
    const name = fullName(checked.data)
    const { provider, id } = checked.data
    const model = modelOf(checked.data, added.get(name) ?? known.find(provider, id), file)
    const refuse = (code: ProblemCode, message: string) => problems.error(code, source.spotOf(base), message)
    if (seen.has(name)) refuse('model/duplicate', `${name} is in this file twice`)
    else if (model) added.set(name, model)
    else refuse('model/window', `${name} is not in the catalogue, so contextWindow is needed`)
    seen.add(name)
  }
}

/** What stands under `models`, not yet checked, so that one wrong entry does not hide the others. */
function entriesOf({ source, schema: { additionsOutline }, problems }: Job): readonly unknown[] {
  const checked = additionsOutline.safeParse(source.value)
  if (checked.success) return checked.data.models
  problems.add(shapeProblems(checked.error, source, { family: 'model', schema: additionsOutline }))
  return []
}

function modelOf(given: Addition, known: Model | undefined, file: string): Model | undefined {
  const contextWindow = given.contextWindow ?? known?.contextWindow
  if (contextWindow === undefined) return undefined
  const { provider, id } = given
  const maxOutputTokens = given.maxOutputTokens ?? known?.maxOutputTokens
  const prices = given.prices ? pricesOf(given.prices, file) : known?.prices
  return {
    provider,
    id,
    name: given.name ?? known?.name ?? id,
    contextWindow,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(prices && { prices }),
  }
}

function pricesOf({ tiers, source, date, ...base }: AdditionPrices, file: string): Prices {
  const higher = tiers
    ?.map(({ above, ...prices }) => ({ above, ...complete(prices) }))
    .sort((left, right) => left.above - right.above)
  return {
    ...complete(base),
    ...(higher && { tiers: higher }),
    source: source ?? file,
    ...(date !== undefined && { date }),
  }
}

function complete({
  input,
  output,
  cacheRead = input,
  cacheWrite = input,
}: Omit<AdditionPrices, 'tiers' | 'source' | 'date'>): TokenPrices {
  return { input, output, cacheRead, cacheWrite }
}

/** A file of a person that adds models to the catalogue. */
export interface AdditionsFile {
  readonly path: string
  /** Whether it is an error when the file is not there. */
  readonly required: boolean
}

/** Where additions come from: `~/.weave/models.json`, and then the `modelsFile` of `weave.json`, which must be there. */
export function additionsOf({
  home,
  modelsFile,
}: {
  readonly home: string
  /** Absolute. */
  readonly modelsFile?: string | undefined
}): readonly AdditionsFile[] {
  const own = { path: join(home, '.weave', 'models.json'), required: false }
  return modelsFile === undefined ? [own] : [own, { path: modelsFile, required: true }]
}
