import type { Git } from './git.ts'
import { splitAtNul } from './git.ts'
import { type GitMode, parseGitMode } from './git-mode.ts'

/** One file that is different in two trees. A side that does not have it is `undefined`. */
export interface TreeDifference {
  readonly path: string
  readonly before: TreeEntry | undefined
  readonly after: TreeEntry | undefined
}

export interface TreeEntry {
  readonly mode: GitMode
  readonly oid: string
}

export type TreeDifferences =
  | { readonly ok: true; readonly differences: readonly TreeDifference[] }
  | { readonly ok: false; readonly message: string }

export interface TreePair {
  /** Of trees or commits. */
  readonly from: string
  readonly to: string
  /** Only these, and what is below them. */
  readonly paths?: readonly string[] | undefined
}

/** In git's order. Renames are a file less and a file more. */
export async function compareTrees(git: Git, { from, to, paths = [] }: TreePair): Promise<TreeDifferences> {
  const answer = await git([...diffTree, '--raw', '--no-abbrev', '-z', from, to, '--', ...paths])
  if (!answer.ok) return { ok: false, message: answer.message }
  const fields = splitAtNul(answer.bytes)
  const differences: TreeDifference[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [modeBefore = '', modeAfter = '', oidBefore = '', oidAfter = ''] = (fields[at] ?? '')
      .slice(1)
      .split(' ')
    const path = fields[at + 1] ?? ''
    differences.push({ path, before: entryOf(modeBefore, oidBefore), after: entryOf(modeAfter, oidAfter) })
  }
  return { ok: true, differences }
}

/** No program of anyone's is run to show a difference. */
export const diffTree = ['diff-tree', '-r', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color']

function entryOf(modeText: string, oid: string): TreeEntry | undefined {
  const mode = parseGitMode(modeText)
  return mode === undefined ? undefined : { mode, oid }
}
