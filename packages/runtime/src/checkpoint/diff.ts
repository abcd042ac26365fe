import type { Result } from '../kit/index.ts'
import { type Git, type GitMode, isLink, parseGitMode, type Selection, splitAtNul } from '../tree/index.ts'

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

export interface DiffRequest extends DiffOptions {
  readonly from: string
  /** A checkpoint, or the files on the disk. */
  readonly to: string | Selection
  readonly paths?: readonly string[]
}

export type DiffResult = Result<{
  readonly files: readonly FileDifference[]
  readonly text?: { readonly bytes: Buffer; readonly isCut: boolean }
}>

/** What is different between two checkpoints, or trees. */
export async function diff(git: Git, pair: TreePair, options: DiffOptions = {}): Promise<DiffResult> {
  const compared = await compareTrees(git, pair)
  if (!compared.ok) return compared
  const counted = options.lines ? await git([...diffTree, '--numstat', '-z', ...ends(pair)]) : undefined
  if (counted && !counted.ok) return { ok: false, message: counted.message }
  const counts = countsIn(counted?.bytes ?? Buffer.alloc(0))
  const files = compared.differences.map(difference => ({
    ...difference,
    status: statusOf(difference),
    ...counts.get(difference.path),
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

function countsIn(bytes: Buffer): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Counts>()
  for (const line of splitAtNul(bytes)) {
    const [additions = '', deletions = '', ...path] = line.split('\t')
    const isBinary = additions === '-'
    const lines = isBinary ? {} : { additions: Number(additions), deletions: Number(deletions) }
    counts.set(path.join('\t'), { isBinary, ...lines })
  }
  return counts
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

export type TreeDifferences = Result<{ readonly differences: readonly TreeDifference[] }>

interface TreePair {
  /** Of trees or commits. */
  readonly from: string
  readonly to: string
  /** Only these, and what is below them. */
  readonly paths?: readonly string[] | undefined
}

/** In git's order. Renames are a file less and a file more. */
export async function compareTrees(git: Git, pair: TreePair): Promise<TreeDifferences> {
  const answer = await git([...diffTree, '--raw', '--no-abbrev', '-z', ...ends(pair)])
  if (!answer.ok) return { ok: false, message: answer.message }
  const fields = splitAtNul(answer.bytes)
  const differences: TreeDifference[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [head = '', path = ''] = fields.slice(at, at + 2)
    const [modeBefore, modeAfter, oidBefore, oidAfter] = head.slice(1).split(' ')
    differences.push({ path, before: entryOf(modeBefore, oidBefore), after: entryOf(modeAfter, oidAfter) })
  }
  return { ok: true, differences }
}

/** No program of anyone's is run to show a difference. */
const diffTree = ['diff-tree', '-r', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color']

function entryOf(modeText = '', oid = ''): TreeEntry | undefined {
  const mode = parseGitMode(modeText)
  return mode === undefined ? undefined : { mode, oid }
}
