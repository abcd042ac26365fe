import {
  type ModelServer,
  type ModelServerOptions,
  type RecordedRequest,
  startModelServer,
} from '../../src/model-server/index.ts'

/** A model server that remembers what it was asked. */
export interface RecordedModelServer extends ModelServer {
  /** The oldest first. */
  readonly requests: readonly RecordedRequest[]
  /**
   * The first request, past or future, that is or becomes such as `predicate` says. Asked again when a request ends.
   * Rejects when the server is closed before.
   */
  until(predicate: (request: RecordedRequest) => boolean): Promise<RecordedRequest>
}

interface Watcher {
  readonly predicate: (request: RecordedRequest) => boolean
  readonly resolve: (request: RecordedRequest) => void
  readonly reject: (error: Error) => void
}

export async function startRecordedServer(options: ModelServerOptions): Promise<RecordedModelServer> {
  const requests: RecordedRequest[] = []
  const watchers = new Set<Watcher>()
  let isClosed = false
  const closedError = (): Error => new Error('the model server was closed before such a request came')
  const changed = (request: RecordedRequest): void => {
    for (const watcher of watchers) {
      if (!watcher.predicate(request)) continue
      watchers.delete(watcher)
      watcher.resolve(request)
    }
  }
  const server = await startModelServer({
    ...options,
    observer: {
      onRequest(request) {
        requests.push(request)
        changed(request)
      },
      onEnd: changed,
    },
  })
  const close = (): Promise<void> => {
    isClosed = true
    for (const { reject } of watchers) reject(closedError())
    watchers.clear()
    return server.close()
  }
  return {
    ...server,
    requests,
    until: predicate =>
      new Promise((resolve, reject) => {
        const found = requests.find(predicate)
        if (found) resolve(found)
        else if (isClosed) reject(closedError())
        else watchers.add({ predicate, resolve, reject })
      }),
    close,
    [Symbol.asyncDispose]: close,
  }
}
