import type { Plan, PlannedCodon, PlannedLoop } from './plan.ts'

/**
 * A place in a plan. Loops grow one iteration at a time, so a place names its iteration; for a codon outside of loops
 * `iteration` and `index` are 0. Everything here is pure.
 */
export interface Position {
  readonly item: number
  readonly iteration: number
  readonly index: number
}

/** A codon in its place, as it will run. */
export interface PlannedCodonAt {
  readonly position: Position
  readonly codon: PlannedCodon
  /** The codon's id, with `#n` in iteration n of a loop. */
  readonly runtimeId: string
  readonly loop?: PlannedLoop
}

export const start: Position = { item: 0, iteration: 0, index: 0 }

/** Undefined at the end of the plan. */
export function codonAt(plan: Plan, position: Position): PlannedCodonAt | undefined {
  const item = plan.items[position.item]
  if (!item) return undefined
  if (item.kind === 'codon') return { position, codon: item, runtimeId: item.id }
  const codon = item.codons[position.index]
  return codon && { position, codon, runtimeId: `${codon.id}#${position.iteration}`, loop: item }
}

/** What comes next. `leaveLoop`: the loop ends here, the rest of its iteration is dropped. */
export function after(plan: Plan, position: Position, { leaveLoop = false } = {}): Position {
  const item = plan.items[position.item]
  const nextItem = { item: position.item + 1, iteration: 0, index: 0 }
  if (item?.kind !== 'loop' || leaveLoop) return nextItem
  const { iteration, index } = position
  if (index + 1 < item.codons.length) return { ...position, index: index + 1 }
  const hasMore = item.limit === null || iteration + 1 < item.limit
  return hasMore ? { item: position.item, iteration: iteration + 1, index: 0 } : nextItem
}

/** Whether the codon after this one is in another iteration, or outside of the loop. */
export function endsIteration(
  plan: Plan,
  position: Position,
  options: { readonly leaveLoop: boolean },
): boolean {
  const next = after(plan, position, options)
  return (
    plan.items[position.item]?.kind === 'loop' &&
    (next.item !== position.item || next.iteration !== position.iteration)
  )
}

export function endsLoop(plan: Plan, position: Position, options: { readonly leaveLoop: boolean }): boolean {
  return plan.items[position.item]?.kind === 'loop' && after(plan, position, options).item !== position.item
}

/** The place of a runtime id; a codon of a loop named without `#n` is meant in its first iteration. */
export function find(plan: Plan, name: string): Position | undefined {
  for (const [at, item] of plan.items.entries()) {
    if (item.kind === 'codon') {
      if (item.id === name) return { item: at, iteration: 0, index: 0 }
      continue
    }
    for (const { id, iteration } of readings(name)) {
      const index = item.codons.findIndex(codon => codon.id === id)
      if (index !== -1 && iteration < (item.limit ?? Number.MAX_SAFE_INTEGER))
        return { item: at, iteration, index }
    }
  }
  return undefined
}

/** The codon of a runtime id, as `find` reads it. */
export function codonNamed(plan: Plan, name: string): PlannedCodonAt | undefined {
  const position = find(plan, name)
  return position && codonAt(plan, position)
}

/** What a name may mean inside a loop: the codon itself, or its iteration n. */
function readings(name: string): readonly { readonly id: string; readonly iteration: number }[] {
  const [, id, digits] = /^(.+)#(0|[1-9]\d*)$/s.exec(name) ?? []
  const bare = { id: name, iteration: 0 }
  return id === undefined ? [bare] : [bare, { id, iteration: Number(digits) }]
}

/** All codons, those of loops once. */
export function plannedCodons({ items }: Plan): readonly PlannedCodon[] {
  return items.flatMap(item => (item.kind === 'loop' ? item.codons : [item]))
}
