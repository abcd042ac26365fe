import Fuse from 'fuse.js'
import leven from 'leven'
import { lettersOf } from './letters.ts'
import { forced, fullName, type Model } from './model.ts'
import { rankOf } from './providers.ts'
import type { Registry } from './registry.ts'

export interface Suggestions {
  /** At most three, each of which `findModel` understands. */
  readonly names: readonly string[]
  /** False when nothing was alike and the names are only a place to begin. */
  readonly alike: boolean
}

/**
 * Names like a name that is not known: first those that differ by a slip of the keys, also when the writer left off
 * before the end (`claud-sonnet`), then those that are alike more loosely, by id or by what people call the model. Of
 * names that are equally alike, newer ones of preferred providers come first.
 */
export function suggestModels(name: string, registry: Registry): Suggestions {
  const prefix = name.startsWith(forced) ? forced : ''
  const wanted = name.slice(prefix.length).trim().toLowerCase()
  const inFull = prefix !== '' || wanted.includes('/')
  const texts = isSearchable(wanted) ? alikeTo(wanted, candidatesOf(registry, inFull)) : []
  if (texts.length > 0) return { names: texts.map(text => prefix + text), alike: true }
  const beginnings = [...registry.aliases].map(([alias, model]) => (inFull ? fullName(model) : alias))
  return { names: beginnings.map(text => prefix + text), alike: false }
}

const atMost = 3
/** Fewer letters are found, scattered, in nearly every name. */
const shortestLoose = 5
/** No name is longer, and the work grows with the square of the length. */
const longest = 120

interface Candidate {
  readonly text: string
  /** What people call it. */
  readonly title: string
}

function isSearchable(wanted: string): boolean {
  return wanted !== '' && wanted.length <= longest
}

function candidatesOf({ models, aliases }: Registry, inFull: boolean): readonly Candidate[] {
  const sorted = [...models].sort(newestFirst)
  const ofModels = sorted.map(model => ({ text: inFull ? fullName(model) : model.id, title: model.name }))
  return inFull ? ofModels : [...[...aliases.keys()].map(text => ({ text, title: text })), ...ofModels]
}

const inNumbers = new Intl.Collator('en', { numeric: true })
const dated = /-\d{8}$|-\d{4}-\d{2}-\d{2}$/

function newestFirst(left: Model, right: Model): number {
  const ranks = rankOf(left.provider) - rankOf(right.provider)
  const dates = Number(dated.test(left.id)) - Number(dated.test(right.id))
  return ranks || dates || inNumbers.compare(right.id, left.id)
}

function alikeTo(wanted: string, candidates: readonly Candidate[]): readonly string[] {
  const found = new Set(near(wanted, candidates))
  if (found.size < atMost && wanted.length >= shortestLoose)
    for (const text of loose(wanted, candidates)) found.add(text)
  return [...found].slice(0, atMost)
}

function near(wanted: string, candidates: readonly Candidate[]): readonly string[] {
  const letters = lettersOf(wanted)
  const limit = Math.min(3, Math.floor(letters.length / 3))
  return candidates
    .map(({ text }) => ({ text, distance: distanceTo(lettersOf(text), letters, limit + 1) }))
    .filter(({ distance }) => distance <= limit)
    .sort((left, right) => left.distance - right.distance)
    .map(({ text }) => text)
}

/** To the text, or to its beginning with half a step more. */
function distanceTo(text: string, wanted: string, maxDistance: number): number {
  const toStart = [wanted.length - 1, wanted.length, wanted.length + 1].map(length =>
    leven(wanted, text.slice(0, length), { maxDistance }),
  )
  return Math.min(leven(wanted, text, { maxDistance }), 0.5 + Math.min(...toStart))
}

function loose(wanted: string, candidates: readonly Candidate[]): readonly string[] {
  const index = new Fuse(candidates, { keys: ['text', 'title'], threshold: 0.35, ignoreLocation: true })
  return index.search(wanted, { limit: atMost * 2 }).map(({ item }) => item.text)
}
