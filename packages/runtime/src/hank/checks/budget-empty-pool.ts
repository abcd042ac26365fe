import { collector, type Problem } from '../../kit/index.ts'
import { exceeds, type Pool } from '../budget-arithmetic.ts'
import { codonLabel, type PlacedCodon } from '../codons.ts'
import type { HankFile, Loop } from '../schema.ts'
import { onExceededOf, type Scope, type Scopes } from './budget-scopes.ts'
import { repeats } from './continuations.ts'
import { dollars } from './labels.ts'

/**
 * A codon with `onExceeded: fail` that comes after codons which may use up the dollars they share with it, while the run
 * goes on: it fails the run without having done anything. A warning, once per codon.
 *
 * A codon may use up a pool when its own limit and those of the codons before it do not keep it from it. The run goes on
 * after it when it completes at the limit or its failure is ignored.
 */
export function checkEmptyPools(hank: HankFile, scopes: Scopes): readonly Problem[] {
  const problems = collector()
  const told = new Set<string>()
  for (const scope of [scopes.hank, ...scopes.loops]) {
    if (!scope.pool || scope.pool.rest <= 0) continue
    for (const { placed, by } of endangered(hank, scope, scope.pool)) {
      if (told.has(placed.where)) continue
      told.add(placed.where)
      problems.warning(
        `${placed.where}.budget.onExceeded`,
        `${codonLabel(placed)}: onExceeded is "fail", but ${by} may use up the ${dollars(scope.pool.rest)} of ${scope.label} first, and then the run fails here. Limit what comes before, give shares, or set onExceeded to "complete".`,
      )
    }
  }
  return problems.all()
}

interface Endangered {
  readonly placed: PlacedCodon
  /** Who may have used up the pool. */
  readonly by: string
}

/** Codons that draw from the same pool one after another, over and over if they are in a loop. */
interface Stretch {
  readonly codons: readonly PlacedCodon[]
  readonly loop: Loop | undefined
  /** The most they can use together. */
  readonly most: number
}

function endangered(hank: HankFile, scope: Scope, pool: Pool): readonly Endangered[] {
  const found: Endangered[] = []
  let used = 0
  let by: string | undefined
  for (const stretch of stretchesOf(scope, pool)) {
    const before = by
    const most = used + stretch.most
    for (const placed of stretch.codons) {
      if (by !== undefined && onExceededOf(placed, hank) === 'fail') found.push({ placed, by })
      used = Math.min(used + mostOf(placed), most)
      if (!exceeds(pool.rest, used) && goesOn(placed, hank)) by ??= codonLabel(placed)
    }
    if (before === undefined && by !== undefined) found.push(...inNextIteration(stretch, hank, by))
  }
  return found
}

/** Without the children that have a share of their own: they do not touch what the others have in common. */
function stretchesOf({ children, loop }: Scope, pool: Pool): readonly Stretch[] {
  const drawing = children.filter(({ id }) => !pool.shares.has(id))
  if (loop) return [{ codons: drawing.flatMap(({ codons }) => codons), loop, most: unlimited }]
  return drawing.map(child => ({ codons: child.codons, loop: child.loop, most: child.cap ?? unlimited }))
}

/** What comes later in a loop also comes before, when the loop repeats. */
function inNextIteration({ loop, codons }: Stretch, hank: HankFile, by: string): readonly Endangered[] {
  if (!loop || !repeats(loop)) return []
  return codons
    .filter(placed => onExceededOf(placed, hank) === 'fail' && codonLabel(placed) !== by)
    .map(placed => ({ placed, by }))
}

function goesOn(placed: PlacedCodon, hank: HankFile): boolean {
  return placed.codon.onFailure === 'ignore' || onExceededOf(placed, hank) === 'complete'
}

const unlimited = Number.POSITIVE_INFINITY

/** The limit of a codon in a loop counts per iteration. */
function mostOf({ codon, loop }: PlacedCodon): number {
  return (codon.budget?.maxDollars ?? unlimited) * iterationsOf(loop)
}

function iterationsOf(loop: Loop | undefined): number {
  if (!loop) return 1
  return loop.terminateOn.type === 'iterationLimit' ? loop.terminateOn.limit : unlimited
}
