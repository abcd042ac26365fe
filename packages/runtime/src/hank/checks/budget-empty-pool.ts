import { exceeds, type Pool } from '../budget-arithmetic.ts'
import type { PlacedCodon } from '../codons.ts'
import type { HankFile, Loop } from '../schema.ts'
import { type OnExceeded, onExceededOf, type Scope, type Scopes } from './budget-scopes.ts'
import { andMore, dollars, moreCodons, type Report } from './check.ts'
import { repeats } from './continuation.ts'

/**
 * A codon with `onExceeded: fail` that comes after codons which may use up the dollars they share with it, while the run
 * goes on: it fails the run without having done anything. A warning, once per codon.
 *
 * A codon may use up a pool when its own limit and those of the codons before it do not keep it from it. The run goes on
 * after it when it completes at the limit or its failure is ignored.
 */
export function checkEmptyPools(hank: HankFile, scopes: Scopes, { warning }: Report): void {
  const told = new Set<PlacedCodon>()
  const groups = new Map<string, Endangered & { more: number }>()
  for (const scope of [scopes.hank, ...scopes.loops]) {
    if (!scope.pool || scope.pool.rest <= 0) continue
    for (const found of endangered(hank, scope, scope.pool)) {
      if (told.has(found.placed)) continue
      told.add(found.placed)
      // Codons that inherit one word are told of together, at the place of that word.
      const key = JSON.stringify([found.rule.where, found.by, found.pool])
      const known = groups.get(key)
      if (known) known.more++
      else groups.set(key, { ...found, more: 0 })
    }
  }
  for (const { placed, by, pool, rule, more } of groups.values()) {
    const [origin, place] = rule.isInherited ? [' by what is written here', 'there'] : ['', 'here']
    warning(
      'budget/empty-pool',
      { where: rule.where, label: placed.label + andMore(more) },
      `onExceeded is "fail"${origin}, but ${by} may use up the ${pool} first, and then the run fails ${place}. Limit what comes before, give shares, or set onExceeded to "complete".`,
    )
  }
}

interface Endangered {
  readonly placed: PlacedCodon
  /** The word that makes it fail. */
  readonly rule: OnExceeded
  /** Who may have used up the pool. */
  readonly by: string
  /** In words: `$5 of the hank`. */
  readonly pool: string
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
  const add = (placed: PlacedCodon, by: string | undefined) => {
    const rule = onExceededOf(placed, hank)
    if (rule.policy !== 'fail' || by === undefined) return
    found.push({ placed, rule, by, pool: poolWords(scope, pool) })
  }
  const spenders: Spender[] = []
  let used = 0
  let culprits: Culprits | undefined
  for (const stretch of stretchesOf(scope, pool)) {
    const before = culprits
    const most = used + stretch.most
    for (const placed of stretch.codons) {
      if (culprits) add(placed, wordsFor(culprits))
      spenders.push({ label: placed.label, most: Math.min(mostOf(placed), stretch.most) })
      used = Math.min(used + mostOf(placed), most)
      if (!exceeds(pool.rest, used) && goesOn(placed, hank)) culprits ??= culpritsAmong(spenders, pool)
    }
    // What comes later in a loop also comes before, when the loop repeats.
    if (before || !culprits || !stretch.loop || !repeats(stretch.loop)) continue
    for (const placed of stretch.codons) add(placed, wordsFor(culprits, placed.label))
  }
  return found
}

/** A codon that draws from a pool, and the most it can use of it. */
interface Spender {
  readonly label: string
  readonly most: number
}

/** Who may use up a pool: the first of them, and how many they are. */
interface Culprits {
  readonly first: readonly string[]
  readonly count: number
  /** None of them could do it alone. */
  readonly together: boolean
}

const mostNamed = 3

/** Those whose own limit does not keep them from using up the pool; if there is none, all together. */
function culpritsAmong(spenders: readonly Spender[], pool: Pool): Culprits {
  const alone = spenders.filter(({ most }) => !exceeds(pool.rest, most))
  const together = alone.length === 0
  const names = (together ? spenders : alone).map(({ label }) => label)
  return { first: names.slice(0, mostNamed + 1), count: names.length, together: together && names.length > 1 }
}

/** `Codon 1 (a) and 3 more codons`; without one that is in danger itself, and undefined when no other is left. */
function wordsFor({ first, count, together }: Culprits, without?: string): string | undefined {
  const others = together ? first : first.filter(label => label !== without)
  const named = others.slice(0, mostNamed)
  const more = count - (first.length - others.length) - named.length
  const words = more > 0 ? [...named, moreCodons(more)] : named
  if (words.length < 2) return words[0]
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}${together ? ' together' : ''}`
}

function poolWords({ label, origin }: Scope, { rest }: Pool): string {
  return `${dollars(rest)} ${origin === undefined ? `of ${label}` : `that ${origin} allows`}`
}

/** Without the children that have a share of their own: they do not touch what the others have in common. */
function stretchesOf({ children, loop }: Scope, pool: Pool): readonly Stretch[] {
  const drawing = children.filter(({ id }) => !pool.shares.has(id))
  if (loop) return [{ codons: drawing.flatMap(({ codons }) => codons), loop, most: unlimited }]
  return drawing.map(child => ({ codons: child.codons, loop: child.loop, most: child.cap ?? unlimited }))
}

function goesOn(placed: PlacedCodon, hank: HankFile): boolean {
  return placed.codon.onFailure === 'ignore' || onExceededOf(placed, hank).policy === 'complete'
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
