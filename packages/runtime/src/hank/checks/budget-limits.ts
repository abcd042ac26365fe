import { type Collector, collector, type Problem } from '../../kit/index.ts'
import { allotment, exceeds, type Pool } from '../budget-arithmetic.ts'
import { codonLabel, codonsOf, loopLabel, loopsOf } from '../codons.ts'
import type { HankFile } from '../schema.ts'
import type { Child, Scope, Scopes } from './budget-scopes.ts'
import { dollars } from './check.ts'

/** Limits that cannot mean what they say, because a limit above them is lower. All of these are warnings. */
export function checkLimits(hank: HankFile, scopes: Scopes): readonly Problem[] {
  const problems = collector()
  reportZeroCeilings(scopes, problems)
  reportZeroLimits(hank, problems)
  for (const scope of [scopes.hank, ...scopes.loops]) {
    if (scope.pool && scope.pool.total > 0) reportChildren(scope, scope.pool, problems)
  }
  reportTimeCaps(hank, problems)
  return problems.all()
}

function reportZeroCeilings({ hank, maxTimeSeconds }: Scopes, problems: Collector): void {
  const where = hank.budget ? hank.where : ''
  if (hank.pool && hank.pool.total <= 0) {
    problems.warning(
      where,
      'The dollar budget of the whole run is 0, so no codon may spend anything. Raise it.',
    )
  }
  if (maxTimeSeconds !== undefined && maxTimeSeconds <= 0) {
    problems.warning(where, 'The time budget of the whole run is 0, so no codon may run. Raise it.')
  }
}

/** Limits of 0 that a loop or a codon gives itself. */
function reportZeroLimits(hank: HankFile, problems: Collector): void {
  const loops = loopsOf(hank).map(placed => ({
    where: placed.where,
    label: loopLabel(placed),
    budget: placed.loop.budget,
  }))
  const codons = codonsOf(hank).map(placed => ({
    where: placed.where,
    label: codonLabel(placed),
    budget: placed.codon.budget,
  }))
  for (const { where, label, budget } of [...loops, ...codons]) {
    for (const [field, value] of Object.entries(budget ?? {})) {
      if (value !== 0) continue
      problems.warning(
        `${where}.budget.${field}`,
        `${label}: its effective budget is zero, because ${field} is 0: nothing runs there. Raise it, or remove it.`,
      )
    }
  }
}

/** Children of a container that has no money itself are not mentioned: the container is. */
function reportChildren(scope: Scope, pool: Pool, problems: Collector): void {
  let someReturn = false
  for (const child of scope.children) {
    const allotted = allotment(pool, child.id)
    const isZeroShare = pool.shares.get(child.id) === 0
    if (isZeroShare || (allotted === 0 && !someReturn)) reportZero(child, scope, problems)
    else if (child.cap !== undefined && exceeds(child.cap, allotted)) {
      problems.warning(
        `${child.where}.budget.maxDollars`,
        `${child.label}: its limit of ${dollars(child.cap)} is above the ${leftBy(scope, pool, allotted)}, and the lower one counts. Lower the one or raise the other.`,
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

function reportZero(child: Child, scope: Scope, problems: Collector): void {
  problems.warning(
    child.where,
    `${child.label}: its effective budget is $0, because the shares of ${scope.label} leave nothing for it. Give it a share, or lower the others.`,
  )
}

function reportTimeCaps(hank: HankFile, problems: Collector): void {
  for (const placed of codonsOf(hank)) {
    const own = placed.codon.budget?.maxTimeSeconds
    const ofLoop = placed.loop?.budget?.maxTimeSeconds
    if (own === undefined || ofLoop === undefined || own <= ofLoop) continue
    problems.warning(
      `${placed.where}.budget.maxTimeSeconds`,
      `${codonLabel(placed)}: its time limit of ${own} s for one iteration is above the ${ofLoop} s that its loop has for all of them. Lower the one or raise the other.`,
    )
  }
}
