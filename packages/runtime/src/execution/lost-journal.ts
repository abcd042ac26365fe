import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionLayout } from '../workspace/index.ts'

export interface LostJournal {
  readonly ok: false
  readonly message: string
  readonly cure: string
}

/**
 * Whether an execution has had a history although its journal tells none: to begin anew in its used workspace, and to pay
 * again for what is done, is never what a person wants. `hasPlan`: of the journal. Nothing is to be found in an execution
 * that was killed before its first event: checkpoints and states come after that.
 */
export function findLostJournal(
  layout: ExecutionLayout,
  { lastSeq, hasPlan }: { readonly lastSeq: number; readonly hasPlan: boolean },
): LostJournal | undefined {
  if (hasPlan) return undefined
  const { journal, dir } = layout
  const witnesses = [
    ...(isFilled(layout.stateFile) ? [layout.stateFile] : []),
    ...(hasRefs(layout.checkpoints) ? [`the checkpoints in ${layout.checkpoints}`] : []),
  ]
  if (lastSeq === 0 && witnesses.length === 0) return undefined
  const what = lastSeq === 0 ? 'is gone or empty' : 'does not begin with its plan'
  const known = witnesses.length === 0 ? '' : `, but there is ${witnesses.join(' and ')}`
  return {
    ok: false,
    message: `The journal in ${journal} ${what}${known}: what was done in ${dir} is not known, so nothing is started in it.`,
    cure: `Restore ${journal} from a backup; or begin another execution with --start-new. "weave checkpoints" cannot help: the journal names what they hold.`,
  }
}

function isFilled(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat?.isFile() === true && stat.size > 0
}

/** Looked up without git: the store may be as damaged as the journal. */
function hasRefs(gitDir: string): boolean {
  try {
    const packed = join(gitDir, 'packed-refs')
    if (isFilled(packed) && /^[0-9a-f]{40} /m.test(readFileSync(packed, 'utf8'))) return true
    const refs = join(gitDir, 'refs')
    return (
      existsSync(refs) &&
      readdirSync(refs, { recursive: true, withFileTypes: true }).some(each => each.isFile())
    )
  } catch {
    return false
  }
}
