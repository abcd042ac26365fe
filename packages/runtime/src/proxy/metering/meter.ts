import {
  type Clock,
  createId,
  type Failure,
  inTime,
  type Log,
  type Result,
  silentLog,
} from '../../kit/index.ts'
import type { Middleware } from '../middleware.ts'
import { startProxy } from '../proxy.ts'
import type { Observe } from '../transport.ts'
import { dialectAt } from './answer-dialects.ts'
import { type MeteredAnswer, MeteredExchange } from './metered-exchange.ts'

export interface MeterOptions {
  /** Where the provider is asked. */
  readonly upstream: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly log?: Log
  /** Before a request for an answer goes on; when it rejects, the request does not. Not called with answers untold. */
  readonly admit?: () => Promise<void>
  /** A request came, or a piece of an answer. Must not throw. */
  readonly onSign: () => void
  /** Once for each request. Must not throw. */
  readonly onAnswer: (answer: MeteredAnswer) => void
}

export interface Meter {
  /** For the agent; without a slash at the end. */
  readonly url: string
  /** Waits, not for long, until every answer that is over has been told. Never rejects. */
  settled(): Promise<void>
  /** Never rejects. */
  close(): Promise<void>
}

export type OpenMeter = (options: MeterOptions) => Promise<Result<{ readonly meter: Meter }, Failure>>

/**
 * A way to the provider for one agent, on loopback, that reads along: what each answer was charged for, that the provider
 * is busy, that the context is full. It hands on what comes as it comes, like the proxy, whose transport it uses.
 */
export const startMeter: OpenMeter = async options => {
  const { upstream, environment, clock, log = silentLog } = options
  const watch = createWatch(options)
  const started = await startProxy({
    port: 0,
    upstream,
    log,
    logLevel: 'warn',
    clock,
    redact: text => text,
    environment,
    middleware: [watch.middleware],
    observe: watch.observe,
    allowOtherUsers: false,
  })
  if (!started.ok) return started
  const { proxy } = started
  return { ok: true, meter: { url: proxy.url, settled: watch.settled, close: () => proxy.close() } }
}

const settleMs = 2_000
const lastWordMs = 50

function createWatch({ clock, admit, onSign, onAnswer }: MeterOptions) {
  const known = new Set<string>()
  /** Answers that are over and not yet read to their end. */
  const reading = new Set<Promise<void>>()

  /** Two answers with one id would count as one. */
  function unique(id: string | undefined): string {
    const own = id === undefined || id === '' || known.has(id) ? createId('msg') : id
    known.add(own)
    return own
  }

  const open = new Set<MeteredExchange>()

  const observe: Observe = ({ method, target }) => {
    const dialect = dialectAt(method, target)
    if (!dialect) return undefined
    onSign()
    const exchange: MeteredExchange = new MeteredExchange(dialect, {
      clock,
      onSign,
      onEnd(told) {
        open.delete(exchange)
        const done = told.then(
          ({ id, ...answer }) => onAnswer({ ...answer, id: unique(id) }),
          () => undefined,
        )
        const read = done.finally(() => reading.delete(read))
        reading.add(read)
      },
    })
    open.add(exchange)
    return exchange
  }

  const settled = async (): Promise<void> => {
    await inTime(Promise.all(reading), { ms: settleMs, clock })
  }
  /** An agent may have read the last word of an answer before its end is here, and ask for the next. */
  const lastWords = async (): Promise<void> => {
    const moved = Promise.all([...open].map(exchange => exchange.moved()))
    await inTime(moved, { ms: lastWordMs, clock })
  }
  const middleware: Middleware = {
    async onRequest(request) {
      if (dialectAt(request.method, request.url)) {
        await lastWords()
        await settled()
        await admit?.()
      }
      return request
    },
  }
  return { observe, middleware, settled }
}
