import { type CheckpointType, type CodonStatus, codonMoves } from '@weave/protocol'

/** What a checkpoint says of itself. */
export interface CheckpointMeta {
  /** `safety`: taken before a rollback, not at an end of a codon. `before`: when a codon began that selects more files. */
  readonly type: CheckpointType | 'safety' | 'before'
  readonly runId: string
  /** The runtime id. */
  readonly codonId: string
  readonly codonName: string
  readonly status: CodonStatus
}

export interface CheckpointRecord extends CheckpointMeta {
  readonly sha: string
  readonly tree: string
  readonly parent?: string
  readonly timestamp: string
}

interface Commit {
  readonly tree: string
  readonly parent: string | undefined
  readonly time: Date
  readonly message: string
}

/** The author and committer are always the same and nobody's. */
export function encodeCommit({ tree, parent, time, message }: Commit): Buffer {
  const signature = `weave <weave@localhost> ${Math.floor(time.getTime() / 1000)} +0000`
  const lines = [
    `tree ${tree}`,
    ...(parent === undefined ? [] : [`parent ${parent}`]),
    `author ${signature}`,
    `committer ${signature}`,
  ]
  return Buffer.from(`${lines.join('\n')}\n\n${message}`)
}

export function checkpointMessage(meta: CheckpointMeta): string {
  const trailers = [
    ['Weave-Run', meta.runId],
    ['Weave-Codon', meta.codonId],
    ['Weave-Name', meta.codonName],
    ['Weave-Status', meta.status],
  ] as const
  const lines = trailers.map(([key, value]) => `${key}: ${toLine(value)}\n`)
  return `checkpoint(${meta.type}): ${toLine(meta.codonId)}\n\n${lines.join('')}`
}

/** `undefined`: not a checkpoint that this program wrote. */
export function decodeCommit(sha: string, commit: Buffer): CheckpointRecord | undefined {
  const [head = '', subject = '', trailers = ''] = commit.toString().split('\n\n')
  const header = (key: string) => new RegExp(`^${key} (.*)$`, 'm').exec(head)?.[1]
  const trailer = (key: string) => {
    const value = new RegExp(`^${key}: (.*)$`, 'm').exec(trailers)?.[1]
    return value === undefined ? undefined : fromLine(value)
  }
  const tree = header('tree')
  const parent = header('parent')
  const seconds = /> (\d+) [+-]\d{4}$/.exec(header('committer') ?? '')?.[1]
  const type = keyOf(types, /^checkpoint\(([a-z-]+)\): /.exec(subject)?.[1])
  const status = keyOf(codonMoves, trailer('Weave-Status'))
  const runId = trailer('Weave-Run')
  const codonId = trailer('Weave-Codon')
  if (tree === undefined || seconds === undefined || !type || !status) return undefined
  if (runId === undefined || codonId === undefined) return undefined
  return {
    sha,
    tree,
    ...(parent !== undefined && { parent }),
    timestamp: new Date(Number(seconds) * 1000).toISOString(),
    type,
    status,
    runId,
    codonId,
    codonName: trailer('Weave-Name') ?? codonId,
  }
}

const types: Readonly<Record<CheckpointMeta['type'], true>> = {
  'rig-setup': true,
  completed: true,
  error: true,
  skipped: true,
  safety: true,
  before: true,
}

function keyOf<Key extends string>(table: Readonly<Record<Key, unknown>>, text = ''): Key | undefined {
  const isKey = (value: string): value is Key => Object.hasOwn(table, value)
  return isKey(text) ? text : undefined
}

/**
 * Any text on one line of a commit message, and back: ids and names come from a hank and may hold anything. Ordinary
 * text stays as it is; line breaks, control characters, what is no text, spaces at the ends and `%` become `%XXXX`.
 */
export function toLine(text: string): string {
  return text.replace(special, part => Array.from(part, escaped).join(''))
}

export function fromLine(line: string): string {
  return line.replace(/%([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

const special = /[\0-\x1F\x7F-\x9F%\u2028\u2029\uD800-\uDFFF]|^ +| +$/gu

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
