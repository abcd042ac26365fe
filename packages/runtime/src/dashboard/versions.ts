import type { CheckpointEntry, CheckpointList, VersionDiff, WayBackPreview } from '@weave/protocol'
import { rowsOf } from '../at-rest/index.ts'
import type { FileDifference, VersionReader } from '../checkpoint/index.ts'
import { systemClock } from '../kit/index.ts'
import { goesOnWith, undoneBy } from '../runner/index.ts'
import { type Answered, type Query, refused, type Sink } from './job.ts'
import type { OpenPlace } from './places.ts'

/** What is missing is asked for once more: a pack was being made. */
const packMs = 200

async function again<T>(ask: () => Promise<T>, isMissing: (answer: T) => boolean): Promise<T> {
  const answer = await ask()
  if (!isMissing(answer)) return answer
  await systemClock.sleep(packMs)
  return ask()
}

const mostCounted = 300
const mostListed = 2_000
const longestPatch = 4 << 20
const longestFile = 64 << 20

/** By the two names of versions, which never change. */
const counted = new Map<string, number>()

/** A question about the versions of an execution that has begun. */
export interface VersionQuestion {
  readonly open: OpenPlace
  readonly query: Query
  readonly sink: Sink
}

export async function checkpointsJob({ open, sink }: VersionQuestion): Promise<Answered> {
  const { followed, versions } = open
  const rows = rowsOf(followed.state, await versions.safeties())
  const checkpoints: CheckpointEntry[] = []
  for (const [at, row] of rows.entries()) {
    sink.signal.throwIfAborted()
    const before = rows[at - 1]?.sha
    const isCounted = before !== undefined && rows.length - at <= mostCounted
    const files = isCounted ? await changedFiles(versions, before, row.sha) : undefined
    checkpoints.push({ ...row, ...(files !== undefined && { files }) })
  }
  const value: CheckpointList = { checkpoints }
  return { ok: true, value }
}

async function changedFiles(versions: VersionReader, from: string, to: string): Promise<number | undefined> {
  const key = `${from} ${to}`
  const known = counted.get(key)
  if (known !== undefined) return known
  const compared = await versions.diff(from, to)
  if (!compared.ok) return undefined
  if (counted.size > 10_000) counted.clear()
  counted.set(key, compared.files.length)
  return compared.files.length
}

/** `from` alone is held against the newest checkpoint. */
export async function diffJob({ open, query }: VersionQuestion): Promise<Answered> {
  const { named, versions } = open
  const from = await named(query['from'] ?? '')
  if (!from.ok) return refused('NOT_FOUND', from.message)
  const to = await named(query['to'] ?? 'end')
  if (!to.ok) return refused('NOT_FOUND', to.message)
  const path = query['path']
  const wanted = {
    lines: true,
    ...(path !== undefined && { paths: [path], text: true, maxTextBytes: longestPatch }),
  }
  const compared = await again(
    () => versions.diff(from.sha, to.sha, wanted),
    answer => !answer.ok,
  )
  if (!compared.ok) return refused('NOT_FOUND', compared.message)
  const { files, text } = compared
  const sizes = files.some(({ isBinary }) => isBinary)
    ? { before: await sizesIn(versions, from.sha), after: await sizesIn(versions, to.sha) }
    : { before: new Map<string, number>(), after: new Map<string, number>() }
  const value: VersionDiff = {
    from: { label: from.label, sha: from.sha },
    to: { label: to.label, sha: to.sha },
    files: files.slice(0, mostListed).map(file => fileEntry(file, sizes)),
    filesLeftOut: Math.max(0, files.length - mostListed),
    ...(text && { patch: { text: text.bytes.toString('utf8'), isCut: text.isCut } }),
  }
  return { ok: true, value }
}

type Sizes = ReadonlyMap<string, number>

async function sizesIn(versions: VersionReader, sha: string): Promise<Sizes> {
  return new Map((await versions.listFiles(sha))?.map(({ path, size }) => [path, size]))
}

function fileEntry(
  { path, status, additions, deletions, isBinary, before, after }: FileDifference,
  sizes: { readonly before: Sizes; readonly after: Sizes },
): VersionDiff['files'][number] {
  const side = (oid: string, size: number | undefined) => ({ oid, ...(size !== undefined && { size }) })
  return {
    path,
    status,
    ...(additions !== undefined && { additions }),
    ...(deletions !== undefined && { deletions }),
    ...(isBinary !== undefined && { isBinary }),
    ...(before && { before: side(before.oid, sizes.before.get(path)) }),
    ...(after && { after: side(after.oid, sizes.after.get(path)) }),
  }
}

/** Bytes of a file, to be kept and never shown by a browser as what they say they are. */
export async function fileJob({ open, query, sink }: VersionQuestion): Promise<Answered> {
  const { named, versions } = open
  const version = await named(query['at'] ?? 'end')
  if (!version.ok) return refused('NOT_FOUND', version.message)
  const path = query['path'] ?? ''
  const found = await again(
    () => versions.file(version.sha, path, longestFile),
    answer => answer === undefined,
  )
  if (!found) return refused('NOT_FOUND', `${path} is no file of ${version.label}.`)
  sink.head({
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': `attachment; filename*=UTF-8''${encoded(path.slice(path.lastIndexOf('/') + 1))}`,
    'x-weave-size': String(found.size),
  })
  sink.write(found.bytes)
  return { ok: true }
}

/** As RFC 5987 wants it; what is no text at all has no name. */
export function encoded(name: string): string {
  try {
    return encodeURIComponent(name).replaceAll(/['()*]/g, each => `%${each.charCodeAt(0).toString(16)}`)
  } catch {
    return 'file'
  }
}

/** What going back does, told from the newest checkpoint: files changed since then are not looked at, and nothing is locked. */
export async function previewJob({ open, query }: VersionQuestion): Promise<Answered> {
  const { named, versions, followed, plan } = open
  const to = await named(query['to'] ?? '')
  if (!to.ok) return refused('NOT_FOUND', to.message)
  const newest = await named('end')
  if (!to.target || !newest.ok)
    return refused('NOT_FOUND', `${query['to']} is no checkpoint that a run can go on from.`)
  const compared = await again(
    () => versions.diff(newest.sha, to.sha),
    answer => !answer.ok,
  )
  if (!compared.ok) return refused('NOT_FOUND', compared.message)
  const { startedFrom } = to.target
  const undone = undoneBy(followed.state, startedFrom)
  const next = goesOnWith(plan, followed.state, startedFrom)
  const value: WayBackPreview = {
    label: to.label,
    sha: to.sha,
    by: 'trees',
    ...changesOf(compared.files),
    undone: undone.map(({ record }) => record.codonId),
    ...(next && { next: { codonId: next.at.runtimeId, withoutRig: next.withoutRig } }),
    staysSpent: undone.reduce((sum, { record }) => sum + record.cost, 0),
  }
  return { ok: true, value }
}

function changesOf(
  files: readonly FileDifference[],
): Pick<WayBackPreview, 'create' | 'change' | 'delete' | 'leftOut'> {
  const shown = files.slice(0, mostListed)
  const paths = (fits: (status: FileDifference['status']) => boolean) =>
    shown.filter(({ status }) => fits(status)).map(({ path }) => path)
  return {
    create: paths(status => status === 'added'),
    change: paths(status => status !== 'added' && status !== 'deleted'),
    delete: paths(status => status === 'deleted'),
    leftOut: files.length - shown.length,
  }
}
