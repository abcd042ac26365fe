import type { Failure } from '../kit/index.ts'
import { harnessBytes } from './harness-size.ts'
import { type HarnessWord, harnessWords, installableHarnesses, pinOf } from './installable.ts'
import { type FoundHarness, ownPlaces, resolveHarness } from './resolve-harness.ts'

/** How one harness stands on this machine, for people and programs. */
export interface HarnessStanding {
  readonly name: HarnessWord
  readonly title: string
  /** Speaks ACP. */
  readonly isAcp?: true
  /** The version that this program was made for. */
  readonly pin: string
  /** What it takes when it is installed, roughly. */
  readonly megabytes: number
  readonly found?: Pick<FoundHarness, 'where' | 'version'> & {
    readonly folder: string
    readonly bytes: number
  }
  /** Why it cannot be used. */
  readonly problem?: Failure
}

export function harnessStandings(places = ownPlaces()): Promise<readonly HarnessStanding[]> {
  return Promise.all(
    harnessWords.map(async name => {
      const { title, megabytes, harness } = installableHarnesses[name]
      const isAcp = harness === 'acp' ? ({ isAcp: true } as const) : {}
      const row = { name, title, ...isAcp, pin: pinOf(name), megabytes }
      const search = resolveHarness(name, places)
      if (!search.ok) return { ...row, problem: { message: search.message, cure: search.cure } }
      const { where, version } = search
      const [folder = ''] = Object.values(search.folders)
      return { ...row, found: { where, version, folder, bytes: await harnessBytes(search) } }
    }),
  )
}
