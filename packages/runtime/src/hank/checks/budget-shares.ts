import { closestMatch } from 'leven'
import { type Collector, collector, type Problem } from '../../kit/index.ts'
import { unallocatedPart } from '../budget-arithmetic.ts'
import type { SharedBudget } from '../schema.ts'
import type { Scope, Scopes } from './budget-scopes.ts'
import { quoted } from './labels.ts'

type Shares = NonNullable<SharedBudget['shares']>

/** Whether the shares of a container fit its allocation, its children and the number 1. */
export function checkShares(scopes: Scopes): readonly Problem[] {
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
    // Not named in the specification; an error, since parts of one budget that are more than all of it promise the last
    // child money that is not there.
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
