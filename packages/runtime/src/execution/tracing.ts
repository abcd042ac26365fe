import { currentRun, type WeaveState } from '@weave/protocol'
import { executionIdOf, type Journal } from '../journal/index.ts'
import { type Log, type Redactor, type Scope, systemClock } from '../kit/index.ts'
import {
  attemptKey,
  collectorOf,
  isSampled,
  spanIdOf,
  type TracesEntry,
  traceIdOf,
  traceparentOf,
} from '../otel/index.ts'
import type { Settings } from '../settings/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

export interface TracingOptions {
  /** Absent: as if it were off. */
  readonly settings: Settings['otel'] | undefined
  /** Absent: nothing is sent. */
  readonly entry: TracesEntry | undefined
  readonly layout: ExecutionLayout
  readonly journal: Journal
  readonly state: () => WeaveState
  readonly redactor: Redactor
  readonly log: Log
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly weaveVersion: string
  readonly rehearsal: boolean
  readonly assertHeld: () => void
}

/** Traces of one execution while it runs. */
export interface Tracing {
  /** What processes of the current attempt are told, so that their spans become part of the trace. */
  traceparent(): string | undefined
}

const off: Tracing = { traceparent: () => undefined }

/** Lets spans of the run go to a collector when that is wanted, until the scope ends. Loads nothing when it is not. */
export async function openTracing(options: TracingOptions, scope: Scope): Promise<Tracing> {
  const { settings, entry, layout, journal, state, environment } = options
  if (!settings?.enabled || !entry) return off
  const executionId = await executionIdOf(journal.history, layout.originFile)
  if (executionId === undefined) return off
  const { startLiveTraces } = await import('../otel/index.ts')
  const live = startLiveTraces({ ...options, entry, settings, executionId, clock: systemClock })
  scope.add('otel', () => live.close())
  const traceId = traceIdOf(executionId)
  const sampled = isSampled(traceId, collectorOf(environment).ratio)
  return {
    traceparent() {
      const run = currentRun(state())
      if (!run || run.codons.length === 0) return undefined
      const spanId = spanIdOf(executionId, attemptKey(run.runId, run.codons.length - 1))
      return traceparentOf({ traceId, spanId }, sampled)
    },
  }
}
