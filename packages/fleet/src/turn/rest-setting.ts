import { createMatcher } from '@weave/runtime'
import type { RestRules } from '../parcel/index.ts'

/** `fleet.rest`, with its defaults: what moves of files of a workspace that are in no checkpoint. */
export interface RestSetting {
  readonly limitMB: number
  readonly files: number
  /** By gitignore rules, relative to the workspace. */
  readonly exclude: readonly string[]
}

/** Of every execution, whatever it checkpoints. Throws for a pattern that is none. */
export function restRules({ limitMB, files, exclude }: RestSetting): RestRules {
  const matcher = createMatcher(exclude)
  if (!matcher.ok) throw new Error(`rest.exclude: ${exclude[matcher.index] ?? ''} is ${matcher.message}`)
  const limits = { bytes: limitMB * 1024 ** 2, files }
  return exclude.length === 0 ? { limits } : { limits, excludes: matcher.matches }
}
