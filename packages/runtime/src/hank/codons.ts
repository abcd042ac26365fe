import type { Codon, HankFile, HankItem, Loop, RigOperation } from './schema.ts'

/** A codon with everything a message needs to say which one is meant. */
export interface PlacedCodon {
  readonly codon: Codon
  /** Path in the file: `hank[2].codons[0]`. */
  readonly where: string
  /** As people count: `3`, or `3.1` for the first codon of a loop that is the third item. */
  readonly number: string
  readonly loop?: Loop
}

export interface PlacedLoop {
  readonly loop: Loop
  readonly where: string
  readonly number: string
}

export function isLoop(item: HankItem): item is Loop {
  return item.type === 'loop'
}

/** All codons in the order of the file, those of loops where their loop stands. Made once: every rule asks for them. */
export function codonsOf(hank: HankFile): readonly PlacedCodon[] {
  const known = placed.get(hank) ?? placeCodons(hank)
  placed.set(hank, known)
  return known
}

const placed = new WeakMap<HankFile, readonly PlacedCodon[]>()

function placeCodons(hank: HankFile): readonly PlacedCodon[] {
  return hank.hank.flatMap((item, at) => {
    const where = `hank[${at}]`
    const number = String(at + 1)
    if (!isLoop(item)) return [{ codon: item, where, number }]
    return item.codons.map((codon, inLoop) => ({
      codon,
      where: `${where}.codons[${inLoop}]`,
      number: `${number}.${inLoop + 1}`,
      loop: item,
    }))
  })
}

export function loopsOf(hank: HankFile): readonly PlacedLoop[] {
  return hank.hank.flatMap((item, at) =>
    isLoop(item) ? [{ loop: item, where: `hank[${at}]`, number: String(at + 1) }] : [],
  )
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

/** How every message about a codon begins: `Codon 3.1 (review)`. */
export function codonLabel({ codon, number }: PlacedCodon): string {
  return `Codon ${number} (${codon.id})`
}

/** How every message about a loop begins, as `codonLabel` for codons: `Loop 2 (fix)`. */
export function loopLabel({ loop, number }: PlacedLoop): string {
  return `Loop ${number} (${loop.id})`
}

export interface PlacedCommand {
  readonly run: string
  readonly workingDirectory?: RigCommand['workingDirectory']
  /** Path of the operation in the file: `hank[0].rigSetup[1]`. */
  readonly where: string
}

type RigCommand = Extract<RigOperation, { type: 'command' }>['command']

/** The commands before an output is copied: they come after the whole rig. */
export function beforeCopyCommands({ codon, where }: PlacedCodon): readonly PlacedCommand[] {
  return (codon.outputFiles ?? []).flatMap(({ beforeCopy = [] }, at) =>
    beforeCopy.map(({ command }, index) => ({
      ...command,
      where: `${where}.outputFiles[${at}].beforeCopy[${index}]`,
    })),
  )
}

/** Every shell command of a codon, in the order in which they run. */
export function commandsOf(placed: PlacedCodon): readonly PlacedCommand[] {
  const rig = (placed.codon.rigSetup ?? []).flatMap((operation, at) =>
    operation.type === 'command' ? [{ ...operation.command, where: `${placed.where}.rigSetup[${at}]` }] : [],
  )
  return [...rig, ...beforeCopyCommands(placed)]
}
