import type { Plan, PlannedCodon, PlannedLoop } from '../../src/plan/index.ts'

/** The order of a plan, told by runtime ids. For the model and for whoever checks an order without it. */

export interface Place {
  readonly item: number
  readonly codon: PlannedCodon
  readonly loop?: PlannedLoop
  readonly iteration: number
  readonly index: number
}

export function placeOf({ items }: Plan, name: string): Place | undefined {
  const [base = '', digits] = name.split('#')
  for (const [item, each] of items.entries()) {
    if (each.kind === 'codon') {
      if (each.id === name) return { item, codon: each, iteration: 0, index: 0 }
      continue
    }
    const index = each.codons.findIndex(({ id }) => id === base)
    const codon = each.codons[index]
    const iteration = Number(digits ?? 0)
    if (codon && (each.limit === null || iteration < each.limit))
      return { item, codon, loop: each, iteration, index }
  }
  return undefined
}

/** The runtime id that a name in a command means. */
export function fullName(plan: Plan, name: string): string | undefined {
  const place = placeOf(plan, name)
  if (!place) return undefined
  return place.loop ? `${place.codon.id}#${place.iteration}` : place.codon.id
}

export function firstName({ items }: Plan, item: number): string | undefined {
  const each = items[item]
  return each?.kind === 'loop' ? `${each.codons[0]?.id}#0` : each?.id
}

/** Items in order, loops iteration by iteration; a full context ends a loop that waits for it. */
export function nameAfter(
  plan: Plan,
  { id, full }: { readonly id: string; readonly full: boolean },
): string | undefined {
  const place = placeOf(plan, id)
  if (!place) return undefined
  const { item, loop, iteration, index } = place
  if (!loop || (full && loop.limit === null)) return firstName(plan, item + 1)
  const sibling = loop.codons[index + 1]
  if (sibling) return `${sibling.id}#${iteration}`
  if (loop.limit === null || iteration + 1 < loop.limit) return `${loop.codons[0]?.id}#${iteration + 1}`
  return firstName(plan, item + 1)
}
