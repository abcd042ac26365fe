import { type AttachedSentinel, loadPatterns, patternFaults } from '../hank/index.ts'
import { didYouMean, nearestNames } from '../kit/index.ts'
import type { RuleSetting } from '../settings/index.ts'

export interface RuleFault {
  /** `rules[0].sentinel`. */
  readonly where: string
  readonly message: string
}

/** What a rule may name. */
export interface RuledHank {
  readonly sentinels: readonly Pick<AttachedSentinel, 'config'>[]
  readonly codons: readonly string[]
}

/** What of the rules the hank does not have, and patterns that are none. */
export async function ruleFaults(
  rules: readonly RuleSetting[],
  hank: RuledHank,
): Promise<readonly RuleFault[]> {
  const faults = rules.flatMap((rule, at) => [
    ...sentinelFaults(rule, `rules[${at}]`, hank),
    ...codonFaults(rule, `rules[${at}]`, hank),
  ])
  const compile = await loadPatterns()
  const patterns = rules.flatMap(({ trigger, when = [] }, at) =>
    patternFaults({ trigger, when }, compile).map(message => ({ where: `rules[${at}]`, message })),
  )
  return [...faults, ...patterns]
}

function sentinelFaults(
  { sentinel }: RuleSetting,
  at: string,
  { sentinels }: RuledHank,
): readonly RuleFault[] {
  if (sentinel === undefined) return []
  const where = `${at}.sentinel`
  const named = sentinels.filter(({ config }) => config.id === sentinel)
  if (named.length === 0) {
    const near = nearestNames(sentinel, [...new Set(sentinels.map(({ config }) => config.id))])
    return [{ where, message: `the hank has no sentinel "${sentinel}".${didYouMean(near)}` }]
  }
  if (named.some(({ config }) => config.structuredOutput)) return []
  const message = `the sentinel "${sentinel}" has no structuredOutput: what it says in words meets no condition`
  return [{ where, message }]
}

function codonFaults(
  { codons: named = [] }: RuleSetting,
  at: string,
  { codons }: RuledHank,
): readonly RuleFault[] {
  return named.flatMap((id, index) => {
    const plain = id.replace(/#\d+$/, '')
    if (codons.includes(plain)) return []
    const near = didYouMean(nearestNames(plain, codons))
    return [{ where: `${at}.codons[${index}]`, message: `the hank has no codon "${id}".${near}` }]
  })
}
