import type { Spot } from '../kit/index.ts'
import type { Environment, LoginFiles, ResolvedModel } from '../models/index.ts'

/** A place in a hank that names a model. Plain data, so that this room need not know what a hank is. */
export type ModelUse = CodonUse | SentinelUse

interface Named {
  /** Where problems point: `hank[2].codons[0].model`. */
  readonly where: string
  /** Where the name itself is written, when it stands there. */
  readonly spot?: (() => Required<Spot>) | undefined
  /** How messages begin: `Codon 3.1 (review)`. */
  readonly label: string
  /** The model as it is written. */
  readonly name: string
}

export interface CodonUse extends Named {
  readonly use: 'codon'
  /** Its whole environment, where the hank changes that with `env`; without it, the one that all codons share. */
  readonly environment?: Environment | undefined
}

export interface SentinelUse extends Named {
  readonly use: 'sentinel'
  readonly failCodonIfNotLoaded?: boolean | undefined
}

/** A use whose name was understood. */
export interface Resolved<U extends ModelUse = ModelUse> {
  readonly use: U
  readonly model: ResolvedModel
}

/** Where keys and addresses come from. Both are the person's own: nothing that a hank says is in them. */
export interface Environments {
  /** What reaches every agent. */
  readonly codon: Environment
  /** What the server itself sees, with the keys that only sentinels use. */
  readonly sentinel: Environment
  /** What the person is signed in with outside of the environment. */
  readonly logins?: LoginFiles | undefined
}

export function isCodon(resolved: Resolved): resolved is Resolved<CodonUse> {
  return resolved.use.use === 'codon'
}

const mostLabels = 5

/** Who is meant, in one breath: `Codon 1 (draft), Codon 2 (review)`; of many the first five, `and 1,995 more`. */
export function labelsOf(all: readonly Resolved[]): string {
  const named = all.slice(0, mostLabels).map(({ use }) => use.label)
  const more = all.length - named.length
  return more === 0 ? named.join(', ') : `${named.join(', ')} and ${more.toLocaleString('en-US')} more`
}

export interface Group<T> {
  readonly first: T
  /** The first one too. */
  readonly all: readonly T[]
}

/** In the order in which the keys first come. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly Group<T>[] {
  const groups = new Map<string, { readonly first: T; readonly all: T[] }>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.all.push(item)
    else groups.set(keyOf(item), { first: item, all: [item] })
  }
  return [...groups.values()]
}
