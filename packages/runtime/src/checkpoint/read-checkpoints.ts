import { type Git, type GitMode, parseGitMode, splitAtNul } from '../tree/index.ts'
import { type CheckpointRecord, decodeCommit } from './commit.ts'
import { readObjects } from './object-reader.ts'
import { isSha, safetyPrefix } from './refs.ts'

export interface TreeFile {
  readonly path: string
  readonly mode: GitMode
  readonly oid: string
  readonly size: number
}

/** What a checkpoint says of itself. `undefined`: there is no such checkpoint. */
export async function readCheckpoint(git: Git, sha: string): Promise<CheckpointRecord | undefined> {
  if (!isSha(sha)) return undefined
  const answer = await git(['cat-file', 'commit', sha])
  return answer.ok ? decodeCommit(sha, answer.bytes) : undefined
}

/** The checkpoints of one run, oldest first, from the last one on its branch. */
export async function listCheckpoints(git: Git, tip: string): Promise<readonly CheckpointRecord[]> {
  const answer = await git(['rev-list', '--first-parent', tip])
  const shas = answer.ok ? answer.bytes.toString().split('\n').filter(isSha) : []
  const records = await readRecords(git, shas)
  const runId = records[0]?.runId
  const others = records.findIndex(record => record?.runId !== runId)
  const own = others === -1 ? records : records.slice(0, others)
  return own.filter(record => record !== undefined).reverse()
}

/** The safety checkpoints, oldest first: their names are times. */
export async function listSafeties(git: Git): Promise<readonly CheckpointRecord[]> {
  const answer = await git(['for-each-ref', '--sort=refname', '--format=%(objectname)', safetyPrefix])
  const shas = answer.ok ? answer.bytes.toString().split('\n').filter(isSha) : []
  return (await readRecords(git, shas)).filter(record => record !== undefined)
}

/** What these checkpoints say of themselves, in the order given. A missing one ends the list. */
export async function readRecords(
  git: Git,
  shas: readonly string[],
): Promise<readonly (CheckpointRecord | undefined)[]> {
  const records: (CheckpointRecord | undefined)[] = []
  let pieces: Buffer[] = []
  await readObjects(git, {
    oids: shas,
    receiver: {
      begin() {
        pieces = []
      },
      data: piece => pieces.push(piece),
      end() {
        records.push(decodeCommit(shas[records.length] ?? '', Buffer.concat(pieces)))
      },
    },
  })
  return records
}

/** Whether the checkpoint and everything that belongs to it is in the store. */
export async function isComplete(git: Git, sha: string): Promise<boolean> {
  if (!isSha(sha)) return false
  const answer = await git(['rev-list', '--objects', '--no-walk', '--quiet', sha])
  return answer.ok
}

/** The files of a checkpoint, or of a tree, in git's order. `undefined`: there is none. */
export async function listTree(git: Git, sha: string): Promise<readonly TreeFile[] | undefined> {
  if (!isSha(sha)) return undefined
  const answer = await git(['ls-tree', '-r', '-l', '-z', '--full-tree', sha])
  if (!answer.ok) return undefined
  return splitAtNul(answer.bytes).flatMap(line => {
    const tab = line.indexOf('\t')
    const [modeText = '', , oid = '', size = ''] = line.slice(0, tab).split(/ +/)
    const mode = parseGitMode(modeText)
    return mode === undefined ? [] : [{ path: line.slice(tab + 1), mode, oid, size: Number(size) }]
  })
}
