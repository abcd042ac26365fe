import type { Cure } from './cures.ts'
import type { Codon, HankFile, HankItem, Loop, RigOperation } from './schema.ts'

/** Where an item of the file is, and how every message about it begins. */
export interface Subject {
  /** Path in the file: `hank[2].codons[0]`. */
  readonly where: string
  /** As people count: `Codon 3.1 (review)` for the first codon of a loop that is the third item; `Loop 3 (fix)`. */
  readonly label: string
}

/** One that a rule knows how to mend. */
export interface CurableSubject extends Subject {
  readonly cure?: Cure | undefined
}

export interface PlacedCodon extends Subject {
  readonly id: string
  readonly codon: Codon
  readonly loop?: Loop
}

export interface PlacedLoop extends Subject {
  readonly id: string
  readonly loop: Loop
  readonly codons: readonly PlacedCodon[]
}

/** A field of an item. */
export function at({ where, label }: Subject, field: string): Subject {
  return { where: `${where}.${field}`, label }
}

export function isLoop(item: HankItem): item is Loop {
  return item.type === 'loop'
}

type PlacedItem = PlacedCodon | PlacedLoop

/** The items in the order of the file. */
export function itemsOf(hank: HankFile): readonly PlacedItem[] {
  return placesIn(hank).items
}

/** All codons in the order of the file, those of loops where their loop stands. */
export function codonsOf(hank: HankFile): readonly PlacedCodon[] {
  return placesIn(hank).codons
}

export function loopsOf(hank: HankFile): readonly PlacedLoop[] {
  return itemsOf(hank).flatMap(item => ('codons' in item ? [item] : []))
}

interface Places {
  readonly items: readonly PlacedItem[]
  readonly codons: readonly PlacedCodon[]
}

/** Made once: every rule asks for them. */
const known = new WeakMap<HankFile, Places>()

function placesIn(hank: HankFile): Places {
  const before = known.get(hank)
  if (before) return before
  const items = hank.hank.map(place)
  const places = { items, codons: items.flatMap(item => ('codons' in item ? item.codons : [item])) }
  known.set(hank, places)
  return places
}

function place(item: HankItem, index: number): PlacedItem {
  const { id } = item
  const where = `hank[${index}]`
  if (!isLoop(item)) return { id, codon: item, where, label: `Codon ${index + 1} (${id})` }
  const codons = item.codons.map((codon, inside) => ({
    id: codon.id,
    codon,
    where: `${where}.codons[${inside}]`,
    label: `Codon ${index + 1}.${inside + 1} (${codon.id})`,
    loop: item,
  }))
  return { id, loop: item, where, label: `Loop ${index + 1} (${id})`, codons }
}

/**
 * The name of the model that a codon will use: the override for all codons (flag, environment, `weave.json`), else its
 * own, else the hank's fallback. Undefined when nothing names one, which the checks report.
 */
export function effectiveModel(
  { model }: Pick<Codon, 'model'>,
  { overrides }: Pick<HankFile, 'overrides'>,
  override: string | undefined,
): string | undefined {
  return override ?? model ?? overrides?.model
}

export type PlacedCommand = Extract<RigOperation, { type: 'command' }>['command'] & {
  /** Path of the operation in the file: `hank[0].rigSetup[1]`. */
  readonly where: string
}

/** The commands before an output is copied: they come after the whole rig. */
export function beforeCopyCommands({ codon, where }: PlacedCodon): readonly PlacedCommand[] {
  return (codon.outputFiles ?? []).flatMap(({ beforeCopy = [] }, output) =>
    beforeCopy.map(({ command }, index) => ({
      ...command,
      where: `${where}.outputFiles[${output}].beforeCopy[${index}]`,
    })),
  )
}

/** Every shell command of a codon, in the order in which they run. */
export function commandsOf(placed: PlacedCodon): readonly PlacedCommand[] {
  const rig = (placed.codon.rigSetup ?? []).flatMap((operation, index) =>
    operation.type === 'command'
      ? [{ ...operation.command, where: `${placed.where}.rigSetup[${index}]` }]
      : [],
  )
  return [...rig, ...beforeCopyCommands(placed)]
}
