import { EventEmitter } from 'node:events'
import { WebSocket } from 'ws'
import { connect } from '../packages/client/src/index.ts'
import { openApp } from '../packages/tui/src/app.ts'

/**
 * A process that follows a server, with a screen or without, and says what that has cost it so far whenever it is asked.
 * The terminal takes everything at once and remembers nothing.
 */
export interface ViewerOrder {
  readonly url: string
  readonly screen: boolean
}

export interface ViewerState {
  readonly events: number
  /** Bytes, after everything that can be let go was let go. */
  readonly memory: number
  /** Milliseconds of processor time. */
  readonly cpu: number
}

let stateOf: () => ViewerState = () => ({ events: 0, memory: 0, cpu: 0 })

process.on('message', (message: ViewerOrder | 'state') => {
  if (message === 'state') process.send?.(stateOf())
  else begin(message)
})

function begin({ url, screen }: ViewerOrder): void {
  const client = connect(url, { mode: 'readonly', since: 0, socket: WebSocket })
  let events = 0
  client.onAny(() => {
    events += 1
  })
  if (screen) {
    const output = Object.assign(new EventEmitter(), {
      columns: 120,
      rows: 40,
      writableNeedDrain: false,
      write: () => true,
    })
    const input = Object.assign(new EventEmitter(), { resume: () => undefined, pause: () => undefined })
    openApp({
      client,
      input,
      output,
      costs: true,
      ownsRun: false,
      color: true,
      unicode: true,
      now: Date.now,
    })
  }
  stateOf = () => {
    globalThis.gc?.()
    const { user, system } = process.cpuUsage()
    const { heapUsed, external } = process.memoryUsage()
    return { events, memory: heapUsed + external, cpu: (user + system) / 1000 }
  }
}
