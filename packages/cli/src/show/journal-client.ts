import { type ExecutionFile, type ExecutionLayout, readEvents } from '@weave/runtime'
import type { ScreenClient } from '@weave/tui'
import type { ClientStatus, ServerEvent } from 'weave-client'
import { version } from '../program.ts'

export interface AtRest {
  readonly layout: ExecutionLayout
  readonly file?: ExecutionFile
}

/**
 * What a screen takes for its connection, although nobody answers: it reads the journal of an execution at rest from
 * beginning to end. Opens files to read only, and nothing can be sent.
 */
export function journalClient({ layout, file }: AtRest): ScreenClient {
  const listeners = new Set<(event: ServerEvent) => void>()
  const followers = new Set<(status: ClientStatus) => void>()
  let status: ClientStatus = { state: 'connecting' }
  let lastSeq = 0
  let isClosed = false
  const become = (next: ClientStatus): void => {
    status = next
    for (const follow of followers) follow(next)
  }
  const tell = (event: ServerEvent): void => {
    for (const listen of listeners) listen(event)
  }
  const read = async (): Promise<void> => {
    tell(helloOf({ layout, ...(file && { file }) }))
    for await (const { event } of readEvents(layout, { readOnly: true }, () => undefined)) {
      if (isClosed) return
      lastSeq = event.seq
      tell(event)
    }
    become({ state: 'open' })
  }
  // After this tick, when the screen listens.
  setImmediate(() => {
    read().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      become({ state: 'closed', code: 1006, reason })
    })
  })
  return {
    get status() {
      return status
    },
    get lastSeq() {
      return lastSeq
    },
    mode: 'readonly',
    journalSeq: undefined,
    send: async () => ({ ok: false, code: 'NOT_RUNNING', message: 'No server is at work here.' }),
    onAny: listener => added(listeners, listener),
    onStatus: listener => added(followers, listener),
    close() {
      isClosed = true
    },
  }
}

/** What a server says first. */
function helloOf({ layout, file }: AtRest): ServerEvent<'server.ready'> {
  return {
    type: 'server.ready',
    id: 'ready',
    timestamp: new Date().toISOString(),
    data: {
      serverVersion: version,
      executionPath: layout.dir,
      dataPath: '',
      agentRootPath: layout.agentRoot,
      rehearsal: file?.rehearsal ?? false,
    },
  }
}

function added<Item>(all: Set<Item>, item: Item): () => void {
  all.add(item)
  return () => void all.delete(item)
}
