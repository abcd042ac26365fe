import type { TransitionData } from '@weave/protocol'
import { type Draft, type FoldGround, notBefore } from './draft.ts'
import { type RemoteSpan, runKey } from './ids.ts'
import { names } from './names.ts'
import { type Attributes, attributesOf, type SpanEvent, type SpanFailure } from './span.ts'

export interface RunStart {
  readonly data: TransitionData<'RunStarted'>
  readonly executionId: string
  readonly rehearsal: boolean
  readonly hankName: string | undefined
  /** By what the link means. */
  readonly links: Readonly<Record<'continues' | 'started-by', RemoteSpan | undefined>>
}

export interface RunEnd {
  readonly time: number
  readonly status: string
  readonly failure?: SpanFailure | undefined
}

/** One run: the root of its spans. */
export function createRun(start: RunStart, ground: FoldGround) {
  const { runId, startTime } = start.data
  const began = Date.parse(startTime)
  const spanId = ground.idOf(runKey(runId))
  const events: SpanEvent[] = []
  let hankName = start.hankName ?? 'hank'
  let attempts = 0
  let cost = 0
  let lastFailure: string | undefined

  return {
    runId,
    spanId,
    get lastFailure(): string | undefined {
      return lastFailure
    },
    /** Which number the next attempt has. */
    nextIndex: (): number => attempts++,
    named(name: string): void {
      hankName = name
    },
    spent(dollars: number): void {
      cost = dollars
    },
    attemptOver(failure: SpanFailure | undefined): void {
      lastFailure = failure?.type
    },
    note: (name: string, time: number, attributes: Attributes): void =>
      void events.push({ name, time, attributes }),
    over({ time, status, failure }: RunEnd): Draft {
      return {
        subject: 'run',
        name: `invoke_workflow ${hankName}`,
        kind: 'internal',
        spanId,
        start: began,
        end: notBefore(began, time),
        attributes: attributesOf({
          [names.operation]: 'invoke_workflow',
          [names.workflow]: hankName,
          'weave.execution.id': start.executionId,
          'weave.run.id': runId,
          'weave.run.status': status,
          'weave.cost.usd': cost,
          'weave.rehearsal': start.rehearsal,
          [names.errorType]: failure?.type,
        }),
        events,
        links: Object.entries(start.links).flatMap(([meaning, span]) =>
          span ? [{ ...span, attributes: { 'weave.link': meaning } }] : [],
        ),
        failure,
        runId,
      }
    },
  }
}

export type RunFold = ReturnType<typeof createRun>
