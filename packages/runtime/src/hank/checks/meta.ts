import type { Problem } from '../../kit/index.ts'
import type { HankFile } from '../schema.ts'
import { quoted } from './labels.ts'

/** The version is for the author alone; one that is no semantic version still loads. */
export function checkMeta(hank: HankFile): readonly Problem[] {
  const version = hank.meta?.version
  if (version === undefined || isSemanticVersion(version)) return []
  const message = `meta.version ${quoted(version)} is not a semantic version. Write three numbers, such as "1.0.0".`
  return [{ severity: 'warning', where: 'meta.version', message }]
}

/** Longer ones are refused by common tools as well, and the pattern need not look at them. */
const longestVersion = 256

/** The pattern that semver.org suggests. */
const pattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/

function isSemanticVersion(version: string): boolean {
  return version.length <= longestVersion && pattern.test(version)
}
