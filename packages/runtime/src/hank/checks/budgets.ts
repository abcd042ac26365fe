import type { ProblemCode } from '@weave/protocol'
import { closestMatch } from 'leven'
import { unallocatedPart } from '../budget-arithmetic.ts'
import { at, codonsOf, effectiveModel, type PlacedCodon } from '../codons.ts'
import type { HankFile, SharedBudget } from '../schema.ts'
import { checkEmptyPools } from './budget-empty-pool.ts'
import { checkLimits } from './budget-limits.ts'
import { onExceededOf, type Scope, type Scopes, scopesOf } from './budget-scopes.ts'
import { andMore, type CheckContext, quoted, type Report } from './check.ts'

/** Everything about budgets. Shares that make no sense are errors; all else is a warning. */
export function checkBudgets(hank: HankFile, report: Report, context: CheckContext): void {
  const scopes = scopesOf(hank, context)
  for (const scope of [scopes.hank, ...scopes.loops]) reportShares(scope, scopes, report)
  checkLimits(hank, scopes, report)
  for (const placed of codonsOf(hank)) reportPolicies(placed, { hank, scopes, report })
  checkEmptyPools(hank, scopes, report)
  reportPricing(hank, { ...context, scopes, report })
}

interface Surroundings {
  readonly hank: HankFile
  readonly scopes: Scopes
  readonly report: Report
}

/** Settings of a codon that a budget works against. */
function reportPolicies(placed: PlacedCodon, { hank, scopes, report: { warning } }: Surroundings): void {
  const { codon } = placed
  const limit = codon.exhaustWithPrompt === undefined ? undefined : nearestTimeLimit(placed, scopes)
  if (limit !== undefined) {
    warning(
      'budget/exhaust',
      at(placed, 'exhaustWithPrompt'),
      `exhaustWithPrompt goes on until the context is full, but ${limit} may end it before. Remove the one or the other, or limit it with maxExtensions.`,
    )
  }
  if (codon.onFailure === 'retry' && onExceededOf(placed, hank).policy === 'fail') {
    warning(
      'budget/retry',
      at(placed, 'onFailure'),
      'onExceeded is "fail" and onFailure is "retry", but a codon that failed by its budget is not tried again. Set onExceeded to "complete" if the run shall go on.',
    )
  }
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

/** Models under a dollar limit whose price is unknown; one warning per model, at the first codon that uses it. */
function reportPricing(
  hank: HankFile,
  { priceOf, modelOverride, scopes, report }: CheckContext & Pick<Surroundings, 'scopes' | 'report'>,
): void {
  const users = new Map<string, PlacedCodon[]>()
  for (const placed of codonsOf(hank)) {
    const model = effectiveModel(placed.codon, hank, modelOverride)
    if (model === undefined || !hasDollarLimit(placed, scopes)) continue
    const known = users.get(model)
    if (known) known.push(placed)
    else users.set(model, [placed])
  }
  for (const [model, [first, ...others]] of users) {
    if (!first || priceOf(model) !== undefined) continue
    const { where } = first.codon.model === model ? at(first, 'model') : first
    report.warning(
      'model/price',
      { where, label: first.label + andMore(others.length) },
      `there is no price for the model ${quoted(model)}, so its cost is unknown and its dollar limit cannot stop it. Add the price to the model catalogue, or limit time or tokens.`,
    )
  }
}

function hasDollarLimit(placed: PlacedCodon, scopes: Scopes): boolean {
  return placed.codon.budget?.maxDollars !== undefined || scopes.of(placed).pool !== undefined
}

type Shares = NonNullable<SharedBudget['shares']>

/** Whether the shares of a container fit its allocation, its children and the number 1. */
function reportShares(scope: Scope, scopes: Scopes, report: Report): void {
  const { allocation = 'shared', shares } = scope.budget ?? {}
  const where = `${scope.where}.shares`
  if (allocation !== 'shared') reportProportional(scope, shares ?? {}, report)
  else if (shares !== undefined) {
    report.error(
      'budget/shares',
      where,
      `The budget of ${scope.label} has shares, but its allocation is "shared". Set allocation to "proportional" or "proportional-strict", or remove the shares.`,
    )
  }
  for (const [id, hint] of unknownChildren(scope, shares ?? {}, scopes)) {
    report.error(
      'budget/shares-unknown',
      where + keyed(id),
      `The shares of ${scope.label} name ${quoted(id)}, which is not one of its children.${hint}`,
    )
  }
}

function reportProportional(scope: Scope, shares: Shares, { error, warning }: Report): void {
  const left = unallocatedPart(shares)
  const where = `${scope.where}.shares`
  if (left < 0) {
    // An error: shares above 1 promise the last child money that is not there.
    const sum = Number((1 - left).toFixed(4))
    error(
      'budget/shares-sum',
      where,
      `The shares of ${scope.label} add up to ${sum}. Lower them to 1 or less in all.`,
    )
  }
  const complaint = unallocated(scope, shares, left)
  if (complaint) warning(complaint[0], where, complaint[1])
}

/** Money that no one can get, or shares that give no one anything. */
function unallocated(scope: Scope, shares: Shares, left: number): readonly [ProblemCode, string] | undefined {
  const { label, budget, pool, children } = scope
  if (Object.keys(shares).length === 0) {
    return [
      'budget/shares',
      `The budget of ${label} is "${budget?.allocation}" but names no shares, so all draw from one pool. Add shares, or set allocation to "shared".`,
    ]
  }
  if (!pool) {
    return [
      'budget/shares-dollars',
      `The budget of ${label} has shares but there are no dollars to share, here or above. Add maxDollars.`,
    ]
  }
  if (left <= 0 || !children.every(child => Object.hasOwn(shares, child.id))) return undefined
  const percent = Number((left * 100).toPrecision(3))
  return [
    'budget/shares-left',
    `The shares of ${label} leave ${percent} % of its dollars to no one, because every child has a share. Raise the shares to 1 in all.`,
  ]
}

/** The ids in shares that no child has, each with what may be meant. */
function unknownChildren(
  scope: Scope,
  shares: Shares,
  scopes: Scopes,
): readonly (readonly [string, string])[] {
  const ids = new Set(scope.children.map(child => child.id))
  const unknown = Object.keys(shares).filter(id => !ids.has(id))
  const loopOf = unknown.length > 0 && scope === scopes.hank ? loopsByCodon(scopes) : undefined
  return unknown.map((id, index) => {
    const loop = loopOf?.get(id)
    if (loop !== undefined) return [id, ` It is inside ${loop}; give the loop a share.`]
    return [id, suggestion(id, index, ids)]
  })
}

function loopsByCodon(scopes: Scopes): ReadonlyMap<string, string> {
  return new Map(scopes.loops.flatMap(loop => loop.children.map(codon => [codon.id, loop.label])))
}

const mostSuggestions = 10
const mostCandidates = 500
const longestCandidate = 64

/** Bounded, because the distance of every wrong id to every right one is a lot of work in a long hank. */
function suggestion(id: string, index: number, ids: ReadonlySet<string>): string {
  if (index >= mostSuggestions || id.length > longestCandidate) return ''
  const candidates = [...ids]
    .filter(candidate => candidate.length <= longestCandidate)
    .slice(0, mostCandidates)
  const closest = closestMatch(id, candidates, { maxDistance: Math.max(2, Math.floor(id.length / 3)) })
  return closest === undefined ? '' : ` Did you mean ${quoted(closest)}?`
}

function keyed(id: string): string {
  return /^[A-Za-z_][\w-]*$/.test(id) ? `.${id}` : `[${JSON.stringify(id)}]`
}
