import { join } from 'node:path'
import { currentRun, type WeaveState } from '@weave/protocol'
import type { Harness, HarnessEvent } from '../harness/index.ts'
import type { Failure, Result } from '../kit/index.ts'
import { type Clock, type Log, type LogLevel, type Redactor, readRecords } from '../kit/index.ts'
import {
  type CodonMark,
  openRequestLog,
  openTraffic,
  type RequestRecord,
  recordRequests,
  startProxy,
  type TrafficSetup,
} from '../proxy/index.ts'
import { serverEnvironment } from '../settings/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

export interface ProxySetup extends TrafficSetup {
  /** Where everything goes. */
  readonly upstream: string
}

export interface ExecutionProxyOptions extends ProxySetup {
  readonly layout: ExecutionLayout
  readonly clock: Clock
  readonly redactor: Redactor
  /** Called before what is written to the execution; throws when it is no longer ours to write to. */
  readonly assertHeld: () => void
  readonly log: Log
  readonly logLevel: LogLevel
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly state: () => WeaveState
  /** Lets other users of this machine in. */
  readonly allowOtherUsers: boolean
}

export type StartedProxy = Result<{ readonly port: number }, Failure>

/** The proxy of one execution, and what the run learns from it. */
export interface ExecutionProxy {
  /** The address for agents; undefined until it listens. */
  url(): string | undefined
  /** Call when the server listens; its port plus one is tried first. */
  start(controlPort: number): Promise<StartedProxy>
  /** A harness whose failed ends say how long the provider asked to wait, also where its SDK loses that. */
  informed(harness: Harness): Harness
  /** Never rejects. */
  close(): Promise<void>
}

/** One request on a line, with the codon that was running. */
export type StoredRequest = RequestRecord & { readonly codonId?: string }

/** Where an execution keeps what its proxy saw. */
function requestsFile({ internals }: Pick<ExecutionLayout, 'internals'>): string {
  return join(internals, 'requests.jsonl')
}

/** What the proxy of an execution, live or at rest, has seen until now. Damaged lines are passed over. */
export function readRequests(layout: Pick<ExecutionLayout, 'internals'>): Promise<readonly StoredRequest[]> {
  return readRecords(requestsFile(layout), value => (isStoredRequest(value) ? value : undefined))
}

/** As far as a report depends on it; the rest is as it was written. */
function isStoredRequest(value: unknown): value is StoredRequest {
  if (typeof value !== 'object' || value === null) return false
  const texts = ['time', 'method', 'url', 'ending'].map(key => Reflect.get(value, key) as unknown)
  const figures = ['durationMs', 'responseBytes'].map(key => Reflect.get(value, key) as unknown)
  return texts.every(text => typeof text === 'string') && figures.every(figure => typeof figure === 'number')
}

export function createExecutionProxy(options: ExecutionProxyOptions): ExecutionProxy {
  const { layout, clock, redactor, log, logLevel, upstream, environment, state, allowOtherUsers } = options
  const waits = createWaits(clock)
  const traffic = openTraffic({ ...options, executionDir: layout.dir, codon: () => markOf(state()) })
  let running: { readonly url: string; close(): Promise<void> } | undefined
  return {
    url: () => running?.url,
    async start(controlPort) {
      const requests = openRequestLog({
        path: requestsFile(layout),
        redactor,
        clock,
        assertHeld: options.assertHeld,
        onFailure: message => log.warn('LLM-PROXY', message),
      })
      const started = await startProxy({
        port: controlPort + 1,
        upstream,
        log,
        logLevel,
        clock,
        redact: redactor.text,
        environment: serverEnvironment(environment),
        allowOtherUsers,
        observe: traffic.observedBy(
          recordRequests({
            clock,
            onAnswer: waits.answered,
            onRecord: record => requests.write({ ...codonOf(state()), ...record }),
          }),
        ),
        transport: traffic.transport,
        around: traffic.around,
      })
      if (!started.ok) return started
      const { proxy } = started
      running = {
        url: proxy.url,
        async close() {
          await proxy.close()
          await traffic.close()
          await requests.close()
        },
      }
      return { ok: true, port: proxy.port }
    },
    informed: harness => ({
      ...harness,
      start: (spec, signal) =>
        withRefusal(withWaits(harness.start(spec, signal), waits), () => traffic.refusalOf(spec.codonId)),
    }),
    async close() {
      await running?.close()
    },
  }
}

/** One codon works at a time. */
function codonOf(state: WeaveState): { readonly codonId?: string } {
  const last = currentRun(state)?.codons.at(-1)
  return last ? { codonId: last.codonId } : {}
}

function markOf(state: WeaveState): CodonMark {
  const last = currentRun(state)?.codons.at(-1)
  return last ? { codonId: last.codonId, attempt: last.attempt } : {}
}

/** What the provider asked to wait for, last. */
interface Waits {
  answered(status: number, retryAfterMs: number | undefined): void
  /** What is left of it; undefined when the last answer asked for nothing. */
  left(): number | undefined
  forget(): void
}

function createWaits(clock: Clock): Waits {
  let until: number | undefined
  return {
    answered(_status, retryAfterMs) {
      until = retryAfterMs === undefined ? undefined : clock.monotonic() + retryAfterMs
    },
    left: () => (until === undefined ? undefined : Math.max(0, until - clock.monotonic())),
    forget() {
      until = undefined
    },
  }
}

async function* withWaits(events: AsyncIterable<HarnessEvent>, waits: Waits): AsyncIterable<HarnessEvent> {
  waits.forget()
  for await (const event of events) yield event.type === 'ended' ? informedEnd(event, waits.left()) : event
}

type Ended = Extract<HarnessEvent, { readonly type: 'ended' }>

/** Only for what may be tried again: a wait does not make anything else better. */
function informedEnd(event: Ended, waitMs: number | undefined): Ended {
  const { end } = event
  if (end.ok || !end.reason.retriable || waitMs === undefined) return event
  return { ...event, end: { ...end, retryAfterMs: Math.max(waitMs, end.retryAfterMs ?? 0) } }
}

/** A codon that asked for something which a replay does not have has failed by that, whatever its SDK made of it. */
async function* withRefusal(
  events: AsyncIterable<HarnessEvent>,
  refusal: () => Promise<string> | undefined,
): AsyncIterable<HarnessEvent> {
  for await (const event of events) {
    const message = event.type === 'ended' ? await refusal() : undefined
    yield event.type === 'ended' && message !== undefined ? refusedEnd(event, message) : event
  }
}

function refusedEnd(event: Ended, message: string): Ended {
  const { end } = event
  const { totalDollars } = end
  return {
    ...event,
    end: {
      ok: false,
      ...(totalDollars !== undefined && { totalDollars }),
      exit: end.ok ? { type: 'error', code: 1 } : end.exit,
      reason: { type: 'api-error', retriable: false, message },
    },
  }
}
