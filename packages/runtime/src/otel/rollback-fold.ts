import type { EventData } from '@weave/protocol'
import { type Draft, type FoldGround, notBefore } from './draft.ts'
import { runKey } from './ids.ts'
import { attributesOf, failureOf, type SpanFailure } from './span.ts'

interface OpenRollback {
  readonly data: EventData<'rollback.started'>
  readonly start: number
  readonly number: number
}

/** Rollbacks, each below the run that it leaves. */
export function createRollbacks(ground: FoldGround) {
  const counts = new Map<string, number>()
  let open: OpenRollback | undefined

  const over = (
    time: number,
    end: { readonly toRun?: string; readonly failure?: SpanFailure },
  ): readonly Draft[] => {
    if (!open) return []
    const { data, start, number } = open
    open = undefined
    const { fromRun, toCodon, toCheckpoint, checkpointType, codonsToProcess } = data
    return [
      {
        subject: 'rollback',
        name: 'weave.rollback',
        kind: 'internal',
        spanId: ground.idOf(['rollback', fromRun, number]),
        parentId: ground.idOf(runKey(fromRun)),
        start,
        end: notBefore(start, time),
        attributes: attributesOf({
          'weave.rollback.codon': toCodon,
          'weave.rollback.checkpoint': toCheckpoint,
          'weave.rollback.checkpoint_type': checkpointType,
          'weave.rollback.undone': codonsToProcess.length,
          'weave.rollback.to_run': end.toRun,
          'error.type': end.failure?.type,
        }),
        events: [],
        links: [],
        failure: end.failure,
        runId: fromRun,
      },
    ]
  }
  const abandoned = (time: number): readonly Draft[] =>
    over(time, { failure: failureOf('failed', 'The rollback was not completed.') })

  return {
    started(data: EventData<'rollback.started'>, time: number, lastSign: number): readonly Draft[] {
      const earlier = abandoned(lastSign)
      const number = counts.get(data.fromRun) ?? 0
      counts.set(data.fromRun, number + 1)
      open = { data, start: time, number }
      return earlier
    },
    completed: ({ toRun }: EventData<'rollback.completed'>, time: number): readonly Draft[] =>
      over(time, { toRun }),
    /** Something else has begun, and nobody said that it was completed. */
    abandoned,
  }
}
