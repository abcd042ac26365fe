import type { ServerResponse } from 'node:http'
import { type BatchPage, type FleetPage, type FleetState, fleetStates } from '@weave/protocol'
import { createSemaphore } from '../kit/index.ts'
import { answerError, answerJson } from './answers.ts'
import type { Query } from './job.ts'
import { wholeIn } from './queries.ts'

export interface BatchWish {
  readonly batch: string
  readonly state?: FleetState | undefined
  readonly after: number
  readonly limit: number
}

/** The fleet of who started the host. This room knows neither its engine nor its package. */
export interface ShownFleet {
  /** Whether there is one: one may come while a host runs. Must not throw. */
  isThere(): boolean
  /** Never starts an engine, and changes nothing. Must not reject. */
  read(): Promise<FleetPage>
  /** The same. Undefined: there is no such batch. */
  readBatch(wish: BatchWish): Promise<BatchPage | undefined>
}

/** For a host without one. */
export const noFleet: ShownFleet = {
  isThere: () => false,
  read: async () => ({ state: 'resting', isNew: true }),
  readBatch: async () => undefined,
}

/** So many questions go to the engine at a time, and so many may wait. */
const asked = createSemaphore({ permits: 2, waiting: 16 })
const mostExecutions = 500
const mostNumber = 1_000_000_000

/** `/api/fleet` and `/api/fleet/<batch>`. */
export async function answerFleet(
  fleet: ShownFleet,
  {
    path,
    query,
    response,
  }: { readonly path: string; readonly query: Query; readonly response: ServerResponse },
): Promise<void> {
  if (!fleet.isThere())
    return answerError(
      response,
      'NOT_FOUND',
      'There is no fleet here. It begins with: weave submit <hank> --data <path>',
    )
  const wish = path === '/api/fleet' ? undefined : wishIn(path, query)
  if (typeof wish === 'string') return answerError(response, 'BAD_REQUEST', wish)
  const release = await asked.acquire()
  if (!release) return answerError(response, 'BUSY', 'Too many questions are waiting. Try again.')
  try {
    if (response.destroyed) return
    const answer = await (wish ? fleet.readBatch(wish) : fleet.read())
    if (answer) answerJson(response, answer)
    else answerError(response, 'NOT_FOUND', `There is no batch ${wish?.batch ?? ''}.`)
  } finally {
    release()
  }
}

/** A text: what is wrong. */
function wishIn(path: string, query: Query): BatchWish | string {
  const batch = /^\/api\/fleet\/([\w.-]{1,200})$/.exec(path)?.[1]
  if (batch === undefined) return 'That is no name of a batch.'
  const word = query['state']
  const state = fleetStates.find(each => each === word)
  if (word !== undefined && state === undefined) return `state is one of ${fleetStates.join(', ')}.`
  const after = wholeIn(query, 'after', { least: 0, most: mostNumber, otherwise: 0 })
  const limit = wholeIn(query, 'limit', { least: 1, most: mostExecutions, otherwise: mostExecutions })
  if (after === undefined || limit === undefined)
    return `after is a number, limit one from 1 to ${mostExecutions}.`
  return { batch, state, after, limit }
}
