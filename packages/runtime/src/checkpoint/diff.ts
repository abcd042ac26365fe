import type { Git } from './git.ts'
import { splitAtNul } from './git.ts'
import { isLink } from './git-mode.ts'
import { compareTrees, diffTree, type TreeDifference, type TreePair } from './tree-difference.ts'

export interface FileDifference extends TreeDifference {
  readonly status: 'added' | 'deleted' | 'modified' | 'type-changed' | 'mode-changed'
  /** Lines; absent unless asked for, and for files that are no text. */
  readonly additions?: number
  readonly deletions?: number
  /** Only when lines were asked for. */
  readonly isBinary?: boolean
}

export interface DiffOptions {
  /** With numbers of lines. */
  readonly lines?: boolean
  /** With the whole difference as text. */
  readonly text?: boolean
  /** More text than this is cut off. */
  readonly maxTextBytes?: number
}

export type DiffResult =
  | {
      readonly ok: true
      readonly files: readonly FileDifference[]
      readonly text?: { readonly bytes: Buffer; readonly isCut: boolean }
    }
  | { readonly ok: false; readonly message: string }

/** What is different between two checkpoints, or trees. */
export async function diff(git: Git, pair: TreePair, options: DiffOptions = {}): Promise<DiffResult> {
  const compared = await compareTrees(git, pair)
  if (!compared.ok) return compared
  const counted = options.lines ? await countLines(git, pair) : noCounts
  if (!counted.ok) return counted
  const files = compared.differences.map(difference => ({
    ...difference,
    status: statusOf(difference),
    ...counted.counts.get(difference.path),
  }))
  if (!options.text) return { ok: true, files }
  const answer = await git([...diffTree, '--patch', '--full-index', ...ends(pair)], {
    maxBytes: options.maxTextBytes ?? defaultTextBytes,
  })
  if (!answer.ok) return { ok: false, message: answer.message }
  return { ok: true, files, text: { bytes: answer.bytes, isCut: answer.isCut } }
}

const defaultTextBytes = 4 << 20

type Counts = Pick<FileDifference, 'additions' | 'deletions' | 'isBinary'>
type Counted =
  | { readonly ok: true; readonly counts: ReadonlyMap<string, Counts> }
  | { readonly ok: false; readonly message: string }

const noCounts: Counted = { ok: true, counts: new Map() }

async function countLines(git: Git, pair: TreePair): Promise<Counted> {
  const answer = await git([...diffTree, '--numstat', '-z', ...ends(pair)])
  if (!answer.ok) return { ok: false, message: answer.message }
  const counts = new Map<string, Counts>()
  for (const line of splitAtNul(answer.bytes)) {
    const [additions = '', deletions = '', ...path] = line.split('\t')
    const isBinary = additions === '-'
    counts.set(
      path.join('\t'),
      isBinary ? { isBinary } : { isBinary, additions: Number(additions), deletions: Number(deletions) },
    )
  }
  return { ok: true, counts }
}

function ends({ from, to, paths = [] }: TreePair): readonly string[] {
  return [from, to, '--', ...paths]
}

function statusOf({ before, after }: TreeDifference): FileDifference['status'] {
  if (!before) return 'added'
  if (!after) return 'deleted'
  if (isLink(before.mode) !== isLink(after.mode)) return 'type-changed'
  return before.oid === after.oid ? 'mode-changed' : 'modified'
}
