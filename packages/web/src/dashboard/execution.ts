import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type {
  ClientStatus,
  CommandType,
  EventData,
  ExecutionHead,
  ReportAttempt,
  SendArguments,
  SendResult,
  ServerEvent,
} from 'weave-client'
import { executionAddress } from './addresses.ts'
import { announce } from './announcements.ts'
import { type Answer, ask } from './host.ts'
import type { Live, LiveHooks } from './live.ts'
import { session } from './session.ts'
import { staleness } from './state-events.ts'
import type { StreamFilter } from './stream-filter.ts'

/**
 * What the page knows of one execution. Its head is read from the host; events of the socket only say that it is stale, so
 * that there is one account of the state. Made when a person opens the page and closed when they leave it.
 */
export interface Execution {
  readonly name: string
  readonly head: ReadonlySignal<ExecutionHead | undefined>
  readonly problem: ReadonlySignal<string | undefined>
  readonly connection: ReadonlySignal<ClientStatus | undefined>
  readonly doing: ReadonlySignal<Doing>
  /** The attempt at work. */
  readonly atWork: ReadonlySignal<ReportAttempt | undefined>
  /** Grows with what a panel may want to read again: a codon ended, a checkpoint was made, a gate was decided. */
  readonly revision: ReadonlySignal<number>
  readonly maySteer: ReadonlySignal<boolean>
  /** A stream is shown; returns what ends it. */
  readonly watch: (watcher: Watcher) => () => void
  readonly send: <T extends CommandType>(type: T, ...rest: SendArguments<T>) => Promise<SendResult<T>>
  readonly refresh: () => void
  readonly close: () => void
}

/** Who shows the events that fit a filter. */
export interface Watcher {
  readonly filter: StreamFilter
  readonly hear: (events: readonly ServerEvent[]) => void
  /** Whether all that fits is heard from here on. */
  readonly hearing: (isHearing: boolean) => void
}

/** What events say of this moment and the head does not. */
export interface Doing {
  readonly idle?: EventData<'server.idle'>
  readonly parked?: EventData<'run.parked'>
  readonly retrying?: EventData<'codon.retrying'>
  readonly activity?: EventData<'run.activity'>
  readonly rollback?: EventData<'rollback.progress'>
}

const staleSoonMs = 150
const staleLaterMs = 1_500

export function openExecution(name: string): Execution {
  const head = signal<ExecutionHead | undefined>(undefined)
  const problem = signal<string | undefined>(undefined)
  const connection = signal<ClientStatus | undefined>(undefined)
  const doing = signal<Doing>({})
  const revision = signal(0)
  let watcher: Watcher | undefined
  const closing = new AbortController()

  const read = async (): Promise<void> => {
    const answer = await ask<ExecutionHead>(executionAddress(name), closing.signal)
    if (closing.signal.aborted) return
    problem.value = problemOf(answer)
    if (!answer.ok) return
    head.value = answer.value
    if (answer.value.live) void line.open()
  }
  const refreshing = createRefreshing(read)
  const onEvents = (events: readonly ServerEvent[]): void => {
    watcher?.hear(events)
    doing.value = events.reduce(doingAfter, doing.peek())
    for (const event of events) announce(event)
    const weight = Math.max(...events.map(staleness))
    if (weight === 2) revision.value += 1
    if (weight > 0) refreshing.soon(weight === 2 ? staleSoonMs : staleLaterMs)
  }
  const onStatus = (status: ClientStatus): void => {
    connection.value = status
    // A server that left has said its last word; what it said last is in the journal.
    if (status.state !== 'connecting') refreshing.soon(staleSoonMs)
    if (status.state === 'closed') {
      line.lost()
      doing.value = {}
    }
  }
  const onHearing = (isHearing: boolean): void => watcher?.hearing(isHearing)
  const line = createLine(name, { onEvents, onStatus, onHearing })
  void read()
  return {
    name,
    head,
    problem,
    connection,
    doing,
    revision,
    atWork: computed(() => attemptAtWork(head.value)),
    maySteer: computed(() => maySteer(connection.value)),
    watch(next) {
      watcher = next
      line.show(next.filter)
      return () => {
        if (watcher !== next) return
        watcher = undefined
        line.show(undefined)
      }
    },
    send: line.send,
    refresh: () => refreshing.soon(0),
    close() {
      closing.abort()
      refreshing.stop()
      line.close()
    },
  }
}

/**
 * The connection to the server, while there is one. Checking what a server says takes as much code as the rest of the page:
 * it is loaded only then.
 */
function createLine(name: string, hooks: LiveHooks) {
  let live: Live | undefined
  let isOpening = false
  let isClosed = false
  let shown: StreamFilter | undefined
  const send: Execution['send'] = async (type, ...rest) =>
    live ? live.send(type, ...rest) : { ok: false, code: 'NOT_CONNECTED', message: 'No server is at work.' }
  return {
    send,
    async open(): Promise<void> {
      if (live || isOpening) return
      isOpening = true
      const loaded = await import('./live.ts').catch(() => undefined)
      isOpening = false
      if (isClosed) return
      live = loaded?.openLive(name, hooks)
      live?.show(shown)
    },
    show(filter: StreamFilter | undefined): void {
      shown = filter
      live?.show(filter)
    },
    lost(): void {
      live = undefined
    },
    close(): void {
      isClosed = true
      live?.close()
    },
  }
}

function maySteer(connection: ClientStatus | undefined): boolean {
  const known = session.value
  return connection?.state === 'open' && known.state === 'open' && known.mode === 'readandwrite'
}

function problemOf(answer: Answer<unknown>): string | undefined {
  return answer.ok ? undefined : answer.message
}

/** One reading at a time; what is asked for meanwhile is one more afterwards. */
function createRefreshing(read: () => Promise<void>) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = Number.POSITIVE_INFINITY
  let isReading = false
  const run = async (): Promise<void> => {
    timer = undefined
    dueAt = Number.POSITIVE_INFINITY
    if (isReading) return soon(staleSoonMs)
    isReading = true
    await read()
    isReading = false
  }
  const soon = (delayMs: number): void => {
    const due = Date.now() + delayMs
    if (due >= dueAt) return
    clearTimeout(timer)
    dueAt = due
    timer = setTimeout(() => void run(), delayMs)
  }
  return { soon, stop: () => clearTimeout(timer) }
}

const atWorkStatuses: ReadonlySet<string> = new Set([
  'preparing',
  'starting',
  'initializing',
  'running',
  'completing-sentinels',
])

function isAtWork({ status }: Pick<ReportAttempt, 'status'>): boolean {
  return atWorkStatuses.has(status)
}

function attemptAtWork(head: ExecutionHead | undefined): ReportAttempt | undefined {
  return head?.live ? head.runs.at(-1)?.attempts.findLast(isAtWork) : undefined
}

function doingAfter(doing: Doing, event: ServerEvent): Doing {
  switch (event.type) {
    case 'server.idle':
      return { idle: event.data }
    case 'codon.started':
      return {}
    case 'run.parked':
      return { ...doing, parked: event.data }
    case 'codon.retrying':
      return { ...doing, retrying: event.data }
    case 'token.usage':
    case 'codon.completed':
      return {}
    case 'run.activity': {
      const { activity: _, ...rest } = doing
      return event.data.over ? rest : { ...rest, activity: event.data }
    }
    case 'rollback.progress':
      return { rollback: event.data }
    case 'rollback.completed':
      return {}
    default:
      return doing
  }
}
