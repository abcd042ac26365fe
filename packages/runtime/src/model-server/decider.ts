import { isAbsolute } from 'node:path'
import { type Clock, isObject, messageOf } from '../kit/index.ts'
import type { Answer } from './answer.ts'
import type { Delivery } from './delivery.ts'
import type { Dialect } from './dialects/dialect.ts'
import type { Incoming } from './incoming.ts'
import { errorDelivery, estimateInput, modelDelivery } from './model-delivery.ts'
import { isReminder, type ModelRequest, type RequestReading } from './model-request.ts'

export interface DeciderOptions {
  /** Answers every request for the model. One that throws or rejects is answered with status 500 and its message. */
  readonly respond: (request: ModelRequest) => Answer | Promise<Answer>
  readonly clock: Clock
  /** Where relative paths of a tool use begin, for a request that does not say so itself. Must not throw. */
  readonly cwdOf?: (key: string) => string | undefined
}

/** What a request is answered. Never rejects. `signal`: the client has gone, waits end. */
export type Decider = (incoming: Incoming, signal: AbortSignal) => Promise<Delivery>

export function createDecider({ respond, clock, cwdOf }: DeciderOptions): Decider {
  const counts = new Map<string, number>()
  // After a summary of its conversation a harness does not say again where it works.
  const directories = new Map<string, string>()

  async function decide(incoming: Incoming, signal: AbortSignal): Promise<Delivery> {
    const { route, body } = incoming
    const { dialect } = route
    const refusal = refusalOf(incoming)
    if (refusal) return refusal
    if (route.kind === 'probe') return { kind: 'json', status: 200, body: route.body }
    if (route.kind === 'unknown')
      return refuse(dialect, 404, `There is no ${incoming.method} ${incoming.path} here.`)
    if (!isObject(body)) return refuse(dialect, 400, 'The body is no JSON object.')
    const reading = { ...dialect.read(body), ...route.given }
    if (route.kind === 'count') {
      return { kind: 'json', status: 200, body: { [route.field]: estimateInput(reading) } }
    }
    return answered(incoming, reading, signal)
  }

  async function answered(
    incoming: Incoming,
    reading: RequestReading,
    signal: AbortSignal,
  ): Promise<Delivery> {
    const { route, key, body } = incoming
    const { dialect } = route
    const index = counts.get(key) ?? 0
    counts.set(key, index + 1)
    const tools = reading.declarations.map(({ name }) => name)
    const request = { ...reading, dialect: dialect.name, key, tools, index, body, signal }
    const cwd = directoryFor(key, reading)
    return modelDelivery(await respond(request), request, { dialect, clock, cwd })
  }

  function directoryFor(key: string, reading: RequestReading): string | undefined {
    const said = workingDirectory(reading)
    // A copy: V8 keeps the whole prompt for a part of it.
    if (said !== undefined) directories.set(key, Buffer.from(said).toString())
    return said ?? cwdOf?.(key) ?? directories.get(key)
  }

  return (incoming, signal) =>
    decide(incoming, signal).catch((error: unknown) =>
      refuse(incoming.route.dialect, 500, `The script failed: ${messageOf(error)}`),
    )
}

/** What is wrong with a request before anyone looks at what it wants. */
function refusalOf({ route, key, isTooLong }: Incoming): Delivery | undefined {
  const isOpen = route.kind === 'unknown' || (route.kind === 'probe' && route.isOpen)
  if (key === '' && !isOpen) return refuse(route.dialect, 401, 'The request has no key.')
  return isTooLong ? refuse(route.dialect, 413, 'The request is too long.') : undefined
}

function refuse(dialect: Dialect, status: number, message: string): Delivery {
  return errorDelivery(dialect, { status, message })
}

const directoryLine = /^[ \t]*(?:[-*] )?(?:primary |current )?working directory: *(\S.*)$/im

/**
 * Where the agent works, if the request says so: harnesses tell their model, in the system prompt or in a note beside the
 * first prompt. Prompts of users are not looked at.
 */
export function workingDirectory({
  system,
  turns,
}: Pick<RequestReading, 'system' | 'turns'>): string | undefined {
  const notes = turns.flatMap(turn => turn.texts.filter(isReminder))
  for (const text of [system, ...notes]) {
    const path = directoryLine.exec(text)?.[1]?.trimEnd()
    if (path !== undefined && isAbsolute(path)) return path
  }
  return undefined
}
