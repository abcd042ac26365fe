import { checkRelativeSpelling } from '../files/index.ts'
import { collector, type Problem } from '../kit/index.ts'
import { codonLabel, codonsOf } from './codons.ts'
import { longestPath } from './limits.ts'
import type { HankFile } from './schema.ts'

/** Where the attachments of a hank let their sentinels write; the same rule as for the configuration itself. */
export function checkOutputPaths(hank: HankFile): readonly Problem[] {
  const problems = collector()
  for (const placed of codonsOf(hank)) {
    for (const [at, { settings }] of (placed.codon.sentinels ?? []).entries()) {
      for (const [field, path] of Object.entries(settings?.outputPaths ?? {})) {
        const fault = path === undefined ? undefined : outputPathFault(path)
        const where = `${placed.where}.sentinels[${at}].settings.outputPaths.${field}`
        if (fault !== undefined) problems.error(where, `${codonLabel(placed)}: ${field} ${fault}`)
      }
    }
  }
  return problems.all()
}

/**
 * What is wrong with where a sentinel writes (decisions 10): a path with `/` lies in the agent workspace, a bare name in
 * the directory of the sentinel, and neither may leave it. Also for `settings.outputPaths` of an attachment.
 */
export function outputPathFault(path: string): string | undefined {
  const home = path.includes('/') ? 'the agent workspace' : 'the directory of the sentinel'
  if (path.length > longestPath) return `is longer than ${longestPath} characters`
  const spelling = checkRelativeSpelling(path)
  if (!spelling.ok) {
    switch (spelling.reason) {
      case 'absolute':
        return `${path} is an absolute or drive-qualified path; it must be relative to ${home}`
      case 'backslash':
        return `${path} contains a backslash; / is the only path separator`
      case 'nul':
        return `${path} contains an invalid character (NUL)`
      case 'outside':
        return `${path} leaves ${home}`
    }
  }
  const namesDirectory = spelling.components.length === 0 || /(^|\/)\.{0,2}$/.test(path)
  return namesDirectory ? `${path} names a directory, not a file` : undefined
}
