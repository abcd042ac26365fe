import { type Model, vendor } from './model.ts'

/** The short names of the vendor's families. */
export const aliases = ['haiku', 'sonnet', 'opus'] as const
export type Alias = (typeof aliases)[number]

/**
 * What each alias means: the newest model of its family among `models`, additions included. Newer is the higher
 * version in the vendor's ids (`claude-opus-5-5` over `claude-opus-5`); of one version, the id without a date. An id
 * that does not follow the pattern, such as a preview, is never what an alias means. A family without a model has no
 * entry.
 */
export function aliasTargets(models: readonly Model[]): ReadonlyMap<Alias, Model> {
  const targets = new Map<Alias, Release>()
  for (const model of models) {
    const release = releaseOf(model)
    if (!release) continue
    const best = targets.get(release.family)
    if (!best || isNewer(release, best)) targets.set(release.family, release)
  }
  return new Map(
    aliases.flatMap(family => {
      const release = targets.get(family)
      return release ? [[family, release.model] as const] : []
    }),
  )
}

interface Release {
  readonly family: Alias
  readonly major: number
  readonly minor: number
  readonly isDated: boolean
  readonly model: Model
}

const patterns = [
  /^claude-(?<family>haiku|sonnet|opus)-(?<major>\d{1,2})(?:-(?<minor>\d{1,2}))?(?<date>-\d{8})?$/,
  /^claude-(?<major>\d{1,2})(?:-(?<minor>\d{1,2}))?-(?<family>haiku|sonnet|opus)(?<date>-\d{8}|-latest)?$/,
]

function releaseOf(model: Model): Release | undefined {
  if (model.provider !== vendor) return undefined
  const parts = patterns.map(pattern => pattern.exec(model.id)?.groups).find(groups => groups !== undefined)
  const family = aliases.find(alias => alias === parts?.['family'])
  if (!parts || !family) return undefined
  return {
    family,
    major: Number(parts['major']),
    minor: Number(parts['minor'] ?? 0),
    isDated: parts['date'] !== undefined,
    model,
  }
}

function isNewer(left: Release, right: Release): boolean {
  if (left.major !== right.major) return left.major > right.major
  if (left.minor !== right.minor) return left.minor > right.minor
  return !left.isDated && right.isDated
}
