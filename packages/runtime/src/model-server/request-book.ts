import type { DialectName } from './model-request.ts'

/** One request as it came, of any kind. */
export interface RecordedRequest {
  /** `model`: it went to the script. The others did not. */
  readonly kind: 'model' | 'count' | 'probe' | 'unknown'
  readonly method: string
  /** Without the query, which may hold a key. */
  readonly path: string
  readonly dialect: DialectName
  /** Empty when none was sent. */
  readonly key: string
  /** Empty unless the request names one. */
  readonly model: string
  /** The names of the headers, in lower case. */
  readonly headers: readonly string[]
  /** The body as JSON; undefined when there is none. */
  readonly body: unknown
  readonly startedAt: Date
  /** When the last byte was handed over, or the connection ended. */
  readonly endedAt: Date | undefined
  /** Absent as long as nothing was answered, and for a connection that was cut. */
  readonly status: number | undefined
  /** The client went away before it had the whole answer. */
  readonly aborted: boolean
}

export type OpenRecord = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] }

/** What came, the newest only: at most so many requests, and so many bytes of bodies. */
export interface RequestBook {
  add(record: OpenRecord, bytes: number): void
  /** To be called after every change of a record. */
  changed(record: OpenRecord): void
  all(): readonly RecordedRequest[]
  until(predicate: (request: RecordedRequest) => boolean): Promise<RecordedRequest>
  close(): void
}

const mostRequests = 1000
const usualMostBytes = 32 * 1024 * 1024

interface Watcher {
  readonly predicate: (request: RecordedRequest) => boolean
  readonly resolve: (request: RecordedRequest) => void
  readonly reject: (error: Error) => void
}

/** The newest is always in it. */
export function createRequestBook(mostBytes = usualMostBytes): RequestBook {
  const entries: { readonly record: OpenRecord; readonly bytes: number }[] = []
  const watchers = new Set<Watcher>()
  let held = 0
  let closed = false

  function add(record: OpenRecord, bytes: number): void {
    entries.push({ record, bytes })
    held += bytes
    while (entries.length > mostRequests || (held > mostBytes && entries.length > 1)) {
      held -= entries.shift()?.bytes ?? 0
    }
    changed(record)
  }

  function changed(record: OpenRecord): void {
    for (const watcher of watchers) {
      if (!watcher.predicate(record)) continue
      watchers.delete(watcher)
      watcher.resolve(record)
    }
  }

  function until(predicate: Watcher['predicate']): Promise<RecordedRequest> {
    return new Promise((resolve, reject) => {
      const found = entries.find(({ record }) => predicate(record))
      if (found) resolve(found.record)
      else if (closed) reject(closedError())
      else watchers.add({ predicate, resolve, reject })
    })
  }

  function close(): void {
    closed = true
    for (const watcher of watchers) watcher.reject(closedError())
    watchers.clear()
  }

  return { add, changed, until, close, all: () => entries.map(({ record }) => record) }
}

function closedError(): Error {
  return new Error('the model server was closed before such a request came')
}
