import { lstatSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProblemCode } from '@weave/protocol'
import { readRegularFile } from '../files/index.ts'
import {
  type Collector,
  collector,
  errorCode,
  type JsonPath,
  type JsonSource,
  type Problem,
  parseJsonSource,
  shapeProblems,
} from '../kit/index.ts'
import { addedModel } from './added-model.ts'
import type { CustomProvider } from './custom-provider.ts'
import { fullName, type Model, type ModelIndex } from './model.ts'

export interface Additions {
  /** Changed ones and new ones; one that is changed twice comes once. */
  readonly added: readonly Model[]
  readonly providers: readonly CustomProvider[]
  readonly problems: readonly Problem<ProblemCode>[]
}

/**
 * What these files add to the known models and providers or change of them, a later file over an earlier one.
 *
 * An addition for a provider and id that is there already replaces the fields it gives. An entry with something wrong in
 * it is left out and reported, the others count.
 */
export async function readAdditions(
  files: readonly AdditionsFile[],
  known: Pick<ModelIndex, 'find'>,
): Promise<Additions> {
  const added = new Map<string, Model>()
  const providers = new Map<string, CustomProvider>()
  const problems = collector<ProblemCode>()
  for (const file of files) {
    if (!file.required && isMissing(file.path)) continue
    const job = { file: file.path, known, added, providers, problems }
    if (file.isOfPi) await addFromPi(job)
    else await addFromFile(file, job)
  }
  return { added: [...added.values()], providers: [...providers.values()], problems: problems.all() }
}

interface Job {
  readonly file: string
  readonly known: Pick<ModelIndex, 'find'>
  readonly added: Map<string, Model>
  readonly providers: Map<string, CustomProvider>
  readonly problems: Collector<ProblemCode>
}

/** What is wrong with the file of another program is that program's business. */
async function addFromPi({ file, added, providers, known }: Job): Promise<void> {
  const source = await readSource({ path: file, required: false }, collector<ProblemCode>())
  if (!source) return
  const { readPiModels } = await import('./pi-models.ts')
  const read = readPiModels(source.value, file)
  for (const provider of read.providers) providers.set(provider.name, provider)
  for (const model of read.models) {
    const before = known.find(model.provider, model.id)
    added.set(fullName(model), { ...before, ...model })
  }
}

/** Few people have such a file; what checks it takes long to set up. */
async function addFromFile(file: AdditionsFile, job: Job): Promise<void> {
  const source = await readSource(file, job.problems)
  if (!source) return
  job.problems.add(source.warnings)
  const schema = await import('./additions-schema.ts')
  const outline = schema.additionsOutline.safeParse(source.value)
  if (!outline.success) {
    const options = { family: 'model', schema: schema.additionsOutline } as const
    job.problems.add(shapeProblems(outline.error, source, options))
    return
  }
  const reading = { ...job, source, schema, seen: new Set<string>() }
  addProviders(reading, outline.data.providers ?? {})
  for (const [index, entry] of (outline.data.models ?? []).entries())
    addModel(reading, entry, { base: ['models', index] })
}

interface Reading extends Job {
  readonly source: JsonSource
  readonly schema: typeof import('./additions-schema.ts')
  /** Of this file. */
  readonly seen: Set<string>
}

function addProviders(reading: Reading, entries: Readonly<Record<string, unknown>>): void {
  const { schema, source, providers, problems, file } = reading
  for (const [name, entry] of Object.entries(entries)) {
    const base = ['providers', name]
    const named = schema.providerName.safeParse(name)
    const outline = schema.providerOutline.safeParse(entry)
    if (!named.success)
      problems.add(shapeProblems(named.error, source, { family: 'model', schema: schema.providerName, base }))
    if (!outline.success)
      problems.add(
        shapeProblems(outline.error, source, { family: 'model', schema: schema.providerOutline, base }),
      )
    if (!named.success || !outline.success) continue
    const { baseUrl, api, key, models } = outline.data
    const before = providers.get(name)
    providers.set(name, {
      name,
      baseUrl: baseUrl ?? before?.baseUrl,
      dialect: api ?? before?.dialect,
      key: key === undefined ? before?.key : key === false ? 'none' : { variable: key },
      isOpen: models === undefined && baseUrl !== undefined,
      source: file,
    })
    for (const [index, model] of (models ?? []).entries())
      addModel(reading, model, { base: [...base, 'models', index], provider: name })
  }
}

interface EntryPlace {
  readonly base: JsonPath
  /** In whose list it stands; else it says so itself. */
  readonly provider?: string
}

function addModel(reading: Reading, entry: unknown, { base, provider }: EntryPlace): void {
  const { schema, source, file, known, added, problems, seen } = reading
  const shape = provider === undefined ? schema.addition : schema.ownModel
  const checked = shape.safeParse(entry)
  if (!checked.success) {
    problems.add(shapeProblems(checked.error, source, { family: 'model', schema: shape, base }))
    return
  }
  const given = { ...checked.data, provider: provider ?? providerIn(checked.data) }
  const name = fullName(given)
  if (seen.has(name)) {
    problems.error('model/duplicate', source.spotOf(base), `${name} is in this file twice`)
    return
  }
  seen.add(name)
  const before = added.get(name) ?? known.find(given.provider, given.id)
  const around = { known: before, provider: reading.providers.get(given.provider), file }
  added.set(name, addedModel(given, around))
}

function providerIn(model: object): string {
  return 'provider' in model && typeof model.provider === 'string' ? model.provider : ''
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

/** A file of a person that adds models to the catalogue. */
export interface AdditionsFile {
  readonly path: string
  /** Whether it is an error when the file is not there. */
  readonly required: boolean
  /** It has the shape that the Pi agent wants, and is only looked at. */
  readonly isOfPi?: true
}

/**
 * Where additions come from, the strongest last: the models file of the person's own Pi agent, `~/.weave/models.json`, and
 * the `modelsFile` of `weave.json`, which must be there.
 */
export function additionsOf({
  home,
  modelsFile,
}: {
  readonly home: string
  /** Absolute. */
  readonly modelsFile?: string | undefined
}): readonly AdditionsFile[] {
  const ofPi = { path: join(home, '.pi', 'agent', 'models.json'), required: false, isOfPi: true } as const
  const own = { path: join(home, '.weave', 'models.json'), required: false }
  return [ofPi, own, ...(modelsFile === undefined ? [] : [{ path: modelsFile, required: true }])]
}
