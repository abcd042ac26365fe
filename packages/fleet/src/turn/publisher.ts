import { executionLayout, readSelection, type Selection } from '@weave/runtime'
import type { Engine, Sql } from '../engine/index.ts'
import { type KnownFiles, type LeftBehind, makeParcel, type Parcel } from '../parcel/index.ts'
import type { Store } from '../store/index.ts'
import type { Published } from './messages.ts'
import type { Head, Places } from './place.ts'
import { type RestSetting, restRules } from './rest-setting.ts'

interface Publishes {
  readonly engine: Engine
  readonly store: Store
  readonly places: Places
  readonly rest: RestSetting
  readonly onNote: (text: string) => void
}

interface Claimed {
  readonly id: string
  readonly epoch: string
  readonly head: Head | null
}

/** What happens with the head or not at all. */
type Also = (sql: Sql) => Promise<void>

export type Publisher = ReturnType<typeof createPublisher>

/** How many parcels one head may have on top of the whole one. */
const longestChain = 16
/** And how much more they may have than it. */
const largestChain = 2
/** A chain of so few bytes is never too long. */
const smallChain = 1024 ** 2
/** How many of the folders that stay behind are named. */
const mostNamed = 5

/** Moves the head of an execution, one parcel at a time. */
export function createPublisher({ id, epoch: text, head: first }: Claimed, at: Publishes) {
  const { engine, store, places, onNote } = at
  const epoch = Number(text)
  const rules = restRules(at.rest)
  let head: Head = first ?? { seq: 0, epoch: 0, parts: [] }
  /** As they were published last; undefined: the next parcel is whole. */
  let files: KnownFiles | undefined
  let selection: Selection | undefined

  /** Answers with the parcel, unless another has the execution. */
  const tryOnce = async (codon: string | null, also: Also): Promise<Parcel | undefined> => {
    const since = files && !isLong(head) ? { seq: head.seq, files } : undefined
    const seq = head.seq + 1
    const root = places.execution(id)
    selection ??= await readSelection(executionLayout(root))
    const rest = { ...rules, selection }
    const parcel = await makeParcel({ root, executionId: id, epoch, seq, since, rest })
    const sha = await store.put(parcel.bytes)
    const next = headAfter(head, { seq, epoch, sha, parcel, isWhole: !since })
    const isPublished = await engine.database.transaction(async sql => {
      const [row] = await sql.query<{ published: boolean }>(
        'select fleet.publish($1, $2, $3, $4, $5, $6) as published',
        [id, epoch, seq, JSON.stringify(next), codon, parcel.bytes.length],
      )
      if (row?.published) await also(sql)
      return row?.published === true
    })
    if (!isPublished) return undefined
    head = next
    files = parcel.files
    places.note(id, next)
    return parcel
  }

  const hasMoved = async (): Promise<boolean> => {
    const [row] = await engine.database.query<{ head: Head | null; epoch: string }>(
      'select * from fleet.head_of($1)',
      [id],
    )
    if (Number(row?.epoch) !== epoch || row?.head?.seq !== head.seq + 1) return false
    head = row.head
    // What is in that head is not known file by file.
    files = undefined
    return true
  }

  return {
    head: () => head,
    /** The files of the execution are those of its head; undefined: they may have gone on from it. */
    goesOnFrom(known: KnownFiles | undefined): void {
      files = known
    },
    /**
     * Objects first, head last: a crash in between leaves an object that nobody names. Undefined: another has the
     * execution. Rejects when the engine or the store is away, or when a file changed while it was read.
     */
    async publish(codon: string | null, also: Also): Promise<Omit<Published, 'ms'> | undefined> {
      const before = head.left ?? []
      const parcel = await tryOnce(codon, also)
      // A publication whose answer was lost moved the head: the row tells.
      if (!parcel && !(await hasMoved())) return undefined
      const left = head.left ?? []
      const isNews = left.length > 0 && pathsOf(left) !== pathsOf(before)
      if (isNews) onNote(`${id}: stays behind when it moves: ${sizesOf(left)}; see fleet.rest`)
      return { seq: head.seq, bytes: parcel?.bytes.length ?? 0, ...(isNews && { left }) }
    },
  }
}

interface Step {
  readonly seq: number
  readonly epoch: number
  readonly sha: string
  readonly parcel: Parcel
  readonly isWhole: boolean
}

function headAfter(before: Head, { seq, epoch, sha, parcel, isWhole }: Step): Head {
  const bytes = parcel.bytes.length
  const left = parcel.left.slice(0, mostNamed)
  return {
    seq,
    epoch,
    parts: isWhole ? [sha] : [...before.parts, sha],
    bytes: isWhole
      ? { whole: bytes, more: 0 }
      : { whole: before.bytes?.whole ?? 0, more: (before.bytes?.more ?? 0) + bytes },
    ...(parcel.isPartial && { partial: true }),
    ...(left.length > 0 && { left }),
  }
}

function isLong({ parts, bytes }: Head): boolean {
  if (parts.length === 0 || parts.length >= longestChain) return true
  return bytes !== undefined && bytes.more > Math.max(smallChain, largestChain * bytes.whole)
}

function pathsOf(left: readonly LeftBehind[]): string {
  return left.map(({ path }) => path).join('\n')
}

function sizesOf(left: readonly LeftBehind[]): string {
  return left.map(({ path, bytes }) => `${path} (${Math.ceil(bytes / 1024 ** 2)} MB)`).join(', ')
}
