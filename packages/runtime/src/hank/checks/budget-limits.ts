import { allotment, exceeds, type Pool } from '../budget-arithmetic.ts'
import { at, codonsOf, loopsOf, type Subject } from '../codons.ts'
import type { CodonBudget, HankFile, SharedBudget } from '../schema.ts'
import type { Scope, Scopes } from './budget-scopes.ts'
import { dollars, type Report } from './check.ts'

/** Limits that cannot mean what they say, because a limit above them is lower. All of these are warnings. */
export function checkLimits(hank: HankFile, scopes: Scopes, report: Report): void {
  reportZeroCeilings(scopes, report)
  for (const placed of loopsOf(hank)) reportZeroLimits(placed, placed.loop.budget, report)
  for (const placed of codonsOf(hank)) reportZeroLimits(placed, placed.codon.budget, report)
  for (const scope of [scopes.hank, ...scopes.loops]) {
    if (scope.pool && scope.pool.total > 0) reportChildren(scope, scope.pool, report)
  }
  reportTimeCaps(hank, report)
}

function reportZeroCeilings({ hank, maxTimeSeconds }: Scopes, { warning }: Report): void {
  const where = hank.budget ? hank.where : ''
  if (hank.pool && hank.pool.total <= 0) warning('budget/zero', where, noDollars)
  if (maxTimeSeconds !== undefined && maxTimeSeconds <= 0) warning('budget/zero', where, noTime)
}

const noDollars = 'The dollar budget of the whole run is 0, so no codon may spend anything. Raise it.'
const noTime = 'The time budget of the whole run is 0, so no codon may run. Raise it.'

/** Limits of 0 that a loop or a codon gives itself. */
function reportZeroLimits(
  placed: Subject,
  budget: SharedBudget | CodonBudget | undefined,
  { warning }: Report,
): void {
  for (const [field, value] of Object.entries(budget ?? {})) {
    if (value !== 0) continue
    warning(
      'budget/zero',
      at(placed, `budget.${field}`),
      `its effective budget is zero, because ${field} is 0: nothing runs there. Raise it, or remove it.`,
    )
  }
}

/** Children of a container that has no money itself are not mentioned: the container is. */
function reportChildren(scope: Scope, pool: Pool, { warning }: Report): void {
  let someReturn = false
  for (const child of scope.children) {
    const allotted = allotment(pool, child.id)
    const isZeroShare = pool.shares.get(child.id) === 0
    if (isZeroShare || (allotted === 0 && !someReturn)) {
      warning(
        'budget/no-share',
        child,
        `its effective budget is $0, because the shares of ${scope.label} leave nothing for it. Give it a share, or lower the others.`,
      )
    } else if (child.cap !== undefined && exceeds(child.cap, allotted)) {
      warning(
        'budget/above',
        { ...at(child, 'budget.maxDollars'), cure: allotted > 0 ? { instead: allotted } : undefined },
        `its limit of ${dollars(child.cap)} is above the ${leftBy(scope, pool, allotted)}, and the lower one counts. Lower the one or raise the other.`,
      )
    }
    someReturn ||= pool.allocation === 'proportional' && pool.shares.has(child.id)
  }
}

/** `$5 that the hank leaves for it`, or who else it is that sets the limit. */
function leftBy({ label, origin }: Scope, { total }: Pool, allotted: number): string {
  if (origin === undefined) return `${dollars(allotted)} that ${label} leaves for it`
  return allotted === total
    ? `${dollars(total)} that ${origin} allows for the whole run`
    : `${dollars(allotted)} that ${label} leaves for it of the ${dollars(total)} from ${origin}`
}

function reportTimeCaps(hank: HankFile, { warning }: Report): void {
  for (const placed of codonsOf(hank)) {
    const own = placed.codon.budget?.maxTimeSeconds
    const ofLoop = placed.loop?.budget?.maxTimeSeconds
    if (own === undefined || ofLoop === undefined || own <= ofLoop) continue
    warning(
      'budget/above',
      { ...at(placed, 'budget.maxTimeSeconds'), cure: { instead: ofLoop } },
      `its time limit of ${own} s for one iteration is above the ${ofLoop} s that its loop has for all of them. Lower the one or raise the other.`,
    )
  }
}
