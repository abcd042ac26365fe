import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { resolveInside } from '../files/index.ts'

export type WorkingDirectory =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly message: string }

/**
 * Where a command of a codon runs. `project`, "the execution directory", is the agent workspace: the template variables
 * `PROJECT_DIR` and `EXECUTION_DIR` name it too, and the runtime's own files beside it are nobody's
 * working directory. `lastCopied` is `target`, relative to the workspace, or the directory it is in when it is a file.
 * Never throws.
 */
export function workingDirectory(
  agentRoot: string,
  where: 'project' | 'lastCopied' | undefined,
  target: string | undefined,
): WorkingDirectory {
  if (where !== 'lastCopied') return { ok: true, path: agentRoot }
  if (target === undefined) return { ok: false, message: 'lastCopied: nothing was copied before it' }
  const resolved = resolveInside(agentRoot, target)
  if (!resolved.ok)
    return { ok: false, message: `lastCopied: ${target} is not in the agent workspace any more` }
  const stats = lstatSync(resolved.path, { throwIfNoEntry: false })
  if (!stats) return { ok: false, message: `lastCopied: ${target} does not exist any more` }
  return { ok: true, path: stats.isDirectory() ? resolved.path : dirname(resolved.path) }
}
