import type { EventData } from '@weave/protocol'
import { type Draft, type FoldGround, notBefore } from './draft.ts'
import { attributesOf, failureOf, type SpanFailure } from './span.ts'

export interface RigPlace {
  readonly runId: string
  readonly index: number
  /** Of the attempt. */
  readonly parentId: string
  readonly start: number
  /** By the plan. */
  readonly operations: number
}

/** What was set up before the agent of one attempt. Nothing when there was no rig, or it was left out. */
export function createRig(place: RigPlace, ground: FoldGround) {
  const { runId, index, start } = place
  const spanId = ground.idOf(['rig', runId, index])
  let ran = false
  let isOver = false

  return {
    /** Something was seen of it. */
    seen(): void {
      ran = true
    },
    operated(data: EventData<'rig.operation'>, time: number): Draft {
      ran = true
      const { operation, type, ok, durationMs, exitCode } = data
      const began = time - durationMs
      return {
        subject: 'rig',
        name: `weave.rig.${type}`,
        kind: 'internal',
        spanId: ground.idOf(['rig', runId, index, operation]),
        parentId: spanId,
        start: began,
        end: notBefore(began, time),
        attributes: attributesOf({
          'weave.rig.operation': operation,
          'process.exit.code': exitCode,
          'error.type': ok ? undefined : 'rig',
        }),
        events: [],
        links: [],
        failure: ok ? undefined : failureOf('rig', ''),
        runId,
      }
    },
    /** `failure`: the attempt ended before the agent was started. */
    over(time: number, failure?: SpanFailure): Draft | undefined {
      const isTold = ran && !isOver
      isOver = true
      if (!isTold) return undefined
      return {
        subject: 'rig',
        name: 'weave.rig',
        kind: 'internal',
        spanId,
        parentId: place.parentId,
        start,
        end: notBefore(start, time),
        attributes: attributesOf({
          'weave.rig.operations': place.operations,
          'error.type': failure?.type,
        }),
        events: [],
        links: [],
        failure,
        runId,
      }
    },
  }
}

export type Rig = ReturnType<typeof createRig>
