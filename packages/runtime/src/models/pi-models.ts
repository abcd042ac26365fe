import { fieldsOf, isObject, listOf, numberOf, textOf } from '../kit/index.ts'
import { type CustomProvider, type Dialect, dialects } from './custom-provider.ts'
import type { Model, Prices } from './model.ts'

export interface PiModels {
  readonly providers: readonly CustomProvider[]
  readonly models: readonly Model[]
}

/**
 * What the models file of a person's own Pi agent says, as far as it can be used here. It is that program's file and it
 * judges it: what is not understood is left out without a word. A key that a command would print is not fetched; headers,
 * which may hold a key, are not sent.
 */
export function readPiModels(value: unknown, file: string): PiModels {
  const all = Object.entries(fieldsOf(fieldsOf(value)['providers'])).filter(([name]) => isName(name))
  const read = all.map(([name, config]) => readProvider(name, fieldsOf(config), file))
  return {
    providers: read.map(({ provider }) => provider),
    models: read.flatMap(({ models }) => models),
  }
}

function isName(name: string): boolean {
  return /^[a-z0-9][a-z0-9._-]*$/.test(name)
}

type Fields = Readonly<Record<string, unknown>>

function readProvider(name: string, config: Fields, file: string) {
  const baseUrl = addressIn(config['baseUrl'])
  const dialect = dialectIn(config['api'])
  const listed = listOf(config['models']).map(fieldsOf)
  const models = listed.flatMap(entry => readModel(name, { entry, config, file }))
  const provider: CustomProvider = {
    name,
    baseUrl,
    dialect,
    key: keyIn(config['apiKey']),
    isOpen: false,
    source: file,
  }
  return { provider, models }
}

interface Entry {
  readonly entry: Fields
  readonly config: Fields
  readonly file: string
}

/** One at an address of its own, or in a dialect that is not spoken here, is not known. */
function readModel(provider: string, { entry, config, file }: Entry): readonly Model[] {
  const id = textOf(entry['id']) ?? ''
  const isOdd = entry['api'] !== undefined && dialectIn(entry['api']) === undefined
  if (!/^\S+$/.test(id) || isOdd || entry['baseUrl'] !== undefined) return []
  const dialect = dialectIn(entry['api']) ?? dialectIn(config['api'])
  const contextWindow = countIn(entry['contextWindow'])
  const maxOutputTokens = countIn(entry['maxTokens'])
  const compat = { ...fieldsOf(config['compat']), ...fieldsOf(entry['compat']) }
  const prices = pricesIn(entry['cost'], file)
  return [
    {
      provider,
      id,
      name: textOf(entry['name']) ?? id,
      ...(contextWindow !== undefined && { contextWindow }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(dialect && { dialect }),
      ...(typeof entry['reasoning'] === 'boolean' && { reasoning: entry['reasoning'] }),
      ...(Object.keys(compat).length > 0 && { compat }),
      ...(prices && { prices }),
    },
  ]
}

function addressIn(value: unknown): string | undefined {
  const text = textOf(value) ?? ''
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol) ? text : undefined
}

function dialectIn(value: unknown): Dialect | undefined {
  return dialects.find(one => one === value)
}

/** The name of a variable or the key itself: which of the two is known when the variable is looked for. */
function keyIn(value: unknown): CustomProvider['key'] {
  const text = textOf(value) ?? ''
  if (text === '' || text.startsWith('!')) return undefined
  return /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(text) ? { variable: text } : { value: text }
}

function countIn(value: unknown): number | undefined {
  const count = numberOf(value)
  return count !== undefined && Number.isSafeInteger(count) && count > 0 ? count : undefined
}

function pricesIn(value: unknown, source: string): Prices | undefined {
  if (!isObject(value)) return undefined
  const [input, output, cacheRead, cacheWrite] = ['input', 'output', 'cacheRead', 'cacheWrite'].map(name => {
    const dollars = numberOf(value[name])
    return dollars !== undefined && dollars >= 0 ? dollars : undefined
  })
  if (input === undefined || output === undefined) return undefined
  return { input, output, cacheRead: cacheRead ?? input, cacheWrite: cacheWrite ?? input, source }
}
