import type { Result } from '../kit/index.ts'
import { type Git, type GitMode, isLink, parseGitMode, splitAtNul } from '../tree/index.ts'

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

export type DiffResult = Result<{
  readonly files: readonly FileDifference[]
  readonly text?: { readonly bytes: Buffer; readonly isCut: boolean }
}>

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
type Counted = Result<{ readonly counts: ReadonlyMap<string, Counts> }>

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
const diffTree = ['diff-tree', '-r', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color']

function entryOf(modeText: string, oid: string): TreeEntry | undefined {
  const mode = parseGitMode(modeText)
  return mode === undefined ? undefined : { mode, oid }
}
