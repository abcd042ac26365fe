import { closestMatch } from 'leven'
import { type Collector, collector, type Problem } from '../../kit/index.ts'
import { unallocatedPart } from '../budget-arithmetic.ts'
import { codonLabel, codonsOf, effectiveModel, type PlacedCodon } from '../codons.ts'
import type { HankFile, SharedBudget } from '../schema.ts'
import { checkEmptyPools } from './budget-empty-pool.ts'
import { checkLimits } from './budget-limits.ts'
import { onExceededOf, type Scope, type Scopes, scopesOf } from './budget-scopes.ts'
import { andMore, type CheckContext, quoted } from './check.ts'

/** Everything about budgets. Shares that make no sense are errors; all else is a warning. */
export function checkBudgets(hank: HankFile, context: CheckContext): readonly Problem[] {
  const scopes = scopesOf(hank, context)
  return [
    ...checkShares(scopes),
    ...checkLimits(hank, scopes),
    ...checkPolicies(hank, scopes),
    ...checkEmptyPools(hank, scopes),
    ...checkPricing(hank, context, scopes),
  ]
}

/** Settings of a codon that a budget works against. All of these are warnings. */
function checkPolicies(hank: HankFile, scopes: Scopes): readonly Problem[] {
  const problems = collector()
  for (const placed of codonsOf(hank)) {
    reportExhaustUnderTime(placed, scopes, problems)
    if (placed.codon.onFailure !== 'retry' || onExceededOf(placed, hank).policy !== 'fail') continue
    problems.warning(
      `${placed.where}.onFailure`,
      `${codonLabel(placed)}: onExceeded is "fail" and onFailure is "retry", but a codon that failed by its budget is not tried again. Set onExceeded to "complete" if the run shall go on.`,
    )
  }
  return problems.all()
}

function reportExhaustUnderTime(placed: PlacedCodon, scopes: Scopes, problems: Collector): void {
  if (placed.codon.exhaustWithPrompt === undefined) return
  const limit = nearestTimeLimit(placed, scopes)
  if (limit === undefined) return
  problems.warning(
    `${placed.where}.exhaustWithPrompt`,
    `${codonLabel(placed)}: exhaustWithPrompt goes on until the context is full, but ${limit} may end it before. Remove the one or the other, or limit it with maxExtensions.`,
  )
}

function nearestTimeLimit({ codon, loop }: PlacedCodon, scopes: Scopes): string | undefined {
  const own = codon.budget?.maxTimeSeconds
  if (own !== undefined) return `its time limit of ${own} s`
  const ofLoop = loop?.budget?.maxTimeSeconds
  if (ofLoop !== undefined) return `the time limit of ${ofLoop} s of its loop`
  const { maxTimeSeconds: ofRun, timeOrigin } = scopes
  if (ofRun === undefined) return undefined
  return `the time limit of ${ofRun} s of the whole run${timeOrigin === undefined ? '' : ` from ${timeOrigin}`}`
}

interface Unpriced {
  readonly first: PlacedCodon
  more: number
}

/** Models under a dollar limit whose price is unknown; one warning per model, at the first codon that uses it. */
function checkPricing(hank: HankFile, context: CheckContext, scopes: Scopes): readonly Problem[] {
  const unpriced = new Map<string, Unpriced>()
  const priced = new Set<string>()
  for (const placed of codonsOf(hank)) {
    const model = effectiveModel(placed.codon, hank, context.modelOverride)
    if (model === undefined || priced.has(model) || !hasDollarLimit(placed, scopes)) continue
    const known = unpriced.get(model)
    if (known) known.more++
    else if (context.priceOf(model) === undefined) unpriced.set(model, { first: placed, more: 0 })
    else priced.add(model)
  }
  return [...unpriced].map(([model, { first, more }]) => ({
    severity: 'warning',
    where: first.codon.model === model ? `${first.where}.model` : first.where,
    message: `${codonLabel(first)}${andMore(more)}: there is no price for the model ${quoted(model)}, so its cost is unknown and its dollar limit cannot stop it. Add the price to the model catalogue, or limit time or tokens.`,
  }))
}

function hasDollarLimit(placed: PlacedCodon, scopes: Scopes): boolean {
  return placed.codon.budget?.maxDollars !== undefined || scopes.of(placed).pool !== undefined
}

type Shares = NonNullable<SharedBudget['shares']>

/** Whether the shares of a container fit its allocation, its children and the number 1. */
function checkShares(scopes: Scopes): readonly Problem[] {
  const problems = collector()
  for (const scope of [scopes.hank, ...scopes.loops]) {
    const { allocation = 'shared', shares } = scope.budget ?? {}
    if (allocation !== 'shared') reportProportional(scope, shares ?? {}, problems)
    else if (shares !== undefined) {
      problems.error(
        `${scope.where}.shares`,
        `The budget of ${scope.label} has shares, but its allocation is "shared". Set allocation to "proportional" or "proportional-strict", or remove the shares.`,
      )
    }
    if (shares !== undefined) reportUnknownChildren(scope, shares, { scopes, problems })
  }
  return problems.all()
}

function reportProportional(scope: Scope, shares: Shares, problems: Collector): void {
  const left = unallocatedPart(shares)
  const where = `${scope.where}.shares`
  if (left < 0) {
    // An error: shares above 1 promise the last child money that is not there.
    const sum = Number((1 - left).toFixed(4))
    problems.error(where, `The shares of ${scope.label} add up to ${sum}. Lower them to 1 or less in all.`)
  }
  const complaint = unallocated(scope, shares, left)
  if (complaint !== undefined) problems.warning(where, complaint)
}

/** Money that no one can get, or shares that give no one anything. */
function unallocated(scope: Scope, shares: Shares, left: number): string | undefined {
  const { label, budget, pool, children } = scope
  if (Object.keys(shares).length === 0) {
    return `The budget of ${label} is "${budget?.allocation}" but names no shares, so all draw from one pool. Add shares, or set allocation to "shared".`
  }
  if (!pool) {
    return `The budget of ${label} has shares but there are no dollars to share, here or above. Add maxDollars.`
  }
  if (left <= 0 || !children.every(child => Object.hasOwn(shares, child.id))) return undefined
  const percent = Number((left * 100).toPrecision(3))
  return `The shares of ${label} leave ${percent} % of its dollars to no one, because every child has a share. Raise the shares to 1 in all.`
}

interface Surroundings {
  readonly scopes: Scopes
  readonly problems: Collector
}

function reportUnknownChildren(scope: Scope, shares: Shares, { scopes, problems }: Surroundings): void {
  const ids = new Set(scope.children.map(child => child.id))
  const unknown = Object.keys(shares).filter(id => !ids.has(id))
  if (unknown.length === 0) return
  const loopOf = scope === scopes.hank ? loopsByCodon(scopes) : new Map<string, string>()
  for (const [at, id] of unknown.entries()) {
    const loop = loopOf.get(id)
    const hint =
      loop === undefined ? suggestion(id, at, ids) : ` It is inside ${loop}; give the loop a share.`
    problems.error(
      `${scope.where}.shares${keyed(id)}`,
      `The shares of ${scope.label} name ${quoted(id)}, which is not one of its children.${hint}`,
    )
  }
}

function loopsByCodon(scopes: Scopes): ReadonlyMap<string, string> {
  return new Map(scopes.loops.flatMap(loop => loop.children.map(codon => [codon.id, loop.label])))
}

const mostSuggestions = 10
const mostCandidates = 500
const longestCandidate = 64

/** Bounded, because the distance of every wrong id to every right one is a lot of work in a long hank. */
function suggestion(id: string, at: number, ids: ReadonlySet<string>): string {
  if (at >= mostSuggestions || id.length > longestCandidate) return ''
  const candidates = [...ids]
    .filter(candidate => candidate.length <= longestCandidate)
    .slice(0, mostCandidates)
  const closest = closestMatch(id, candidates, { maxDistance: Math.max(2, Math.floor(id.length / 3)) })
  return closest === undefined ? '' : ` Did you mean ${quoted(closest)}?`
}

function keyed(id: string): string {
  return /^[A-Za-z_][\w-]*$/.test(id) ? `.${id}` : `[${JSON.stringify(id)}]`
}
