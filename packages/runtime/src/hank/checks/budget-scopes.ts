import { allotment, createPool, type Pool, tightest } from '../budget-arithmetic.ts'
import { itemsOf, type PlacedCodon, type PlacedLoop, type Subject } from '../codons.ts'
import type { HankFile, Loop, SharedBudget } from '../schema.ts'
import type { Ceilings, CheckContext } from './check.ts'

/** The whole hank or one loop, with the limits that really hold for it when the run begins. */
export interface Scope {
  /** As it stands in the middle of a sentence: `the hank`, `Loop 2 (fix)`. */
  readonly label: string
  /** Of the budget in the file, or where it would be. */
  readonly where: string
  readonly budget: SharedBudget | undefined
  /** Undefined when no dollar limit reaches it, neither its own nor one from above. */
  readonly pool: Pool | undefined
  /** Who sets the dollars of the pool, when that is nobody in the hank: `weave.json`, `--max-cost`. */
  readonly origin?: string | undefined
  /** In the order in which they run. */
  readonly children: readonly Child[]
  readonly loop?: Loop
}

/** A codon or a loop as a spender of its container. */
export interface Child extends Subject {
  readonly id: string
  /** Its own dollar limit, as it is written; for a codon in a loop, of one iteration. */
  readonly cap: number | undefined
  /** The codon, or those of the loop. */
  readonly codons: readonly PlacedCodon[]
  readonly loop?: Loop
}

export interface Scopes {
  readonly hank: Scope
  readonly loops: readonly Scope[]
  /** The ceiling of the whole run, from wherever it is lowest. */
  readonly maxTimeSeconds: number | undefined
  /** Who sets that ceiling, when it is not the hank. */
  readonly timeOrigin?: string | undefined
  /** The innermost scope of a codon. */
  of(placed: PlacedCodon): Scope
}

export function scopesOf(hank: HankFile, { ceilings }: CheckContext): Scopes {
  const budget = hank.overrides?.budget
  const total = tightest(budget?.maxDollars, ceilings?.maxDollars)
  const whole: Scope = {
    origin: originOf('maxDollars', budget, ceilings),
    label: 'the hank',
    where: 'overrides.budget',
    budget,
    pool: total === undefined ? undefined : createPool(total, budget),
    children: itemsOf(hank).map(childOf),
  }
  const loops = new Map(
    whole.children.flatMap(child => (child.loop ? [[child.loop, loopScope(child, child.loop, whole)]] : [])),
  )
  return {
    hank: whole,
    loops: [...loops.values()],
    maxTimeSeconds: tightest(budget?.maxTimeSeconds, ceilings?.maxTimeSeconds),
    timeOrigin: originOf('maxTimeSeconds', budget, ceilings),
    of: ({ loop }) => (loop && loops.get(loop)) ?? whole,
  }
}

/** Who sets a ceiling of the whole run, when it is lower than that of the hank itself. */
function originOf(
  limit: 'maxDollars' | 'maxTimeSeconds',
  budget: SharedBudget | undefined,
  ceilings: Ceilings | undefined,
): string | undefined {
  const given = ceilings?.[limit]
  if (given === undefined || (budget?.[limit] ?? Number.POSITIVE_INFINITY) <= given) return undefined
  return ceilings?.origins?.[limit] ?? 'a flag or weave.json'
}

export interface OnExceeded {
  readonly policy: 'complete' | 'fail'
  /** Of the word in the file, or where it would be. */
  readonly where: string
  /** Whether it is written in a budget above the codon. */
  readonly isInherited: boolean
}

/** What happens to a codon at a limit: the nearest budget that says so counts. */
export function onExceededOf({ codon, loop, where }: PlacedCodon, hank: HankFile): OnExceeded {
  const ofLoop = where.slice(0, where.lastIndexOf('.'))
  const own = { policy: codon.budget?.onExceeded, where }
  const nearest = [
    own,
    { policy: loop?.budget?.onExceeded, where: ofLoop },
    { policy: hank.overrides?.budget?.onExceeded, where: 'overrides' },
  ].find(({ policy }) => policy !== undefined)
  const { policy = 'complete', where: place } = nearest ?? own
  return { policy, where: `${place}.budget.onExceeded`, isInherited: place !== where }
}

/** A loop with a share acts as if it had that budget; one without still draws from what is above it. */
function loopScope(child: Child, loop: Loop, above: Scope): Scope {
  const { budget } = loop
  const total = tightest(budget?.maxDollars, above.pool && allotment(above.pool, child.id))
  return {
    label: child.label,
    origin: total === budget?.maxDollars ? undefined : above.origin,
    where: `${child.where}.budget`,
    budget,
    pool: total === undefined ? undefined : createPool(total, budget),
    children: child.codons.map(childOf),
    loop,
  }
}

function childOf(item: PlacedCodon | PlacedLoop): Child {
  const { id, label, where } = item
  if ('codons' in item) return { ...item, cap: item.loop.budget?.maxDollars }
  return { id, label, where, cap: item.codon.budget?.maxDollars, codons: [item] }
}
