import { type Clock, isObject } from '../kit/index.ts'
import type { Answer, AnswerPart, GivenUsage, Usage } from './answer.ts'
import type { Delivery } from './delivery.ts'
import type { Dialect, WireError, WirePart } from './dialects/dialect.ts'
import { parsedText } from './json.ts'
import type { ModelRequest, RequestReading, Turn } from './model-request.ts'
import { translateTool } from './translate-tool.ts'

export interface ModelDeliveryOptions {
  readonly dialect: Dialect
  readonly clock: Clock
  readonly cwd: string | undefined
}

/** An answer of the script in the dialect of its request, after the waits that it asks for. Rejects when the signal aborts. */
export async function modelDelivery(
  answer: Answer,
  request: ModelRequest,
  options: ModelDeliveryOptions,
): Promise<Delivery> {
  const { dialect, clock } = options
  if (answer.wait !== undefined) await clock.sleep(answer.wait, request.signal)
  switch (answer.kind) {
    case 'message':
      return messageDelivery(answer, request, options)
    case 'error':
      return errorDelivery(dialect, {
        ...answer,
        message: answer.message ?? 'The script of the model says so.',
      })
    case 'overflow':
      return { kind: 'json', status: 400, body: dialect.overflow() }
    case 'hang':
      await clock.sleep(answer.seconds * 1000, request.signal)
      return { kind: 'cut' }
    case 'drop':
      return { kind: 'cut' }
  }
}

export function errorDelivery(dialect: Dialect, error: WireError): Delivery {
  const { status, retryAfter } = error
  return {
    kind: 'json',
    status,
    body: dialect.error(error),
    ...(retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }),
  }
}

type Message = Extract<Answer, { readonly kind: 'message' }>

function messageDelivery(answer: Message, request: ModelRequest, options: ModelDeliveryOptions): Delivery {
  const { dialect, clock, cwd } = options
  const parts: WirePart[] = []
  for (const part of answer.parts) {
    const wire = wirePart(part, request, cwd)
    if (!wire.ok) return errorDelivery(dialect, { status: 400, message: wire.message })
    parts.push(wire.part)
  }
  const sent = request.forcedTool === undefined ? parts : throughTool(parts, request.forcedTool)
  const message = {
    model: request.model,
    parts: sent,
    usage: usageFor(answer.usage, request, sent),
    stop: answer.stop ?? (sent.some(part => part.kind === 'call') ? 'tool-use' : 'end'),
    now: clock.now(),
  } as const
  return {
    kind: 'pieces',
    ...(request.stream
      ? { type: 'text/event-stream', pieces: dialect.events(message) }
      : { type: 'application/json', pieces: halves(JSON.stringify(dialect.whole(message))) }),
    ...(answer.broken && { broken: answer.broken }),
  }
}

type Wired = { readonly ok: true; readonly part: WirePart } | { readonly ok: false; readonly message: string }

function wirePart(part: AnswerPart, request: ModelRequest, cwd: string | undefined): Wired {
  if (part.kind === 'call') {
    const { kind, name, input } = part
    const isOffered = request.declarations.some(tool => tool.name === name)
    if (part.mustBeOffered && !isOffered)
      return { ok: false, message: `The script calls "${name}", and the request offers no such tool.` }
    return { ok: true, part: { kind, name, input } }
  }
  if (part.kind !== 'use') return { ok: true, part }
  const found = translateTool(part, { declarations: request.declarations, cwd })
  return found.ok ? { ok: true, part: { kind: 'call', name: found.name, input: found.input } } : found
}

/** A client that forces a tool to get JSON has its answer as the input of that tool. */
function throughTool(parts: readonly WirePart[], name: string): readonly WirePart[] {
  const said = parts.map(part => (part.kind === 'text' ? part.text : '')).join('')
  const input = parsedText(said)
  const isTool = parts.some(part => part.kind === 'call')
  return isTool || !isObject(input) ? parts : [{ kind: 'call', name, input }]
}

function halves(text: string): readonly string[] {
  const middle = Math.floor(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}

/** About four characters a token, and never nothing. The same texts give the same figure, always. */
function tokensOf(characters: number): number {
  return Math.max(1, Math.ceil(characters / 4))
}

export function estimateInput({ system, turns }: Pick<RequestReading, 'system' | 'turns'>): number {
  return tokensOf(turns.reduce((sum, turn) => sum + lengthOf(turn), system.length))
}

function usageFor(
  given: GivenUsage | undefined,
  request: Pick<RequestReading, 'system' | 'turns'>,
  parts: readonly WirePart[],
): Usage {
  if (given) {
    const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = given
    return { input, output, cacheRead, cacheWrite }
  }
  const written = parts.reduce((sum, part) => sum + partLength(part), 0)
  return { input: estimateInput(request), output: tokensOf(written), cacheRead: 0, cacheWrite: 0 }
}

function lengthOf({ text, calls, results }: Turn): number {
  const asked = calls.reduce((sum, call) => sum + inputLength(call.input), 0)
  return results.reduce((sum, result) => sum + result.text.length, text.length + asked)
}

function partLength(part: WirePart): number {
  return part.kind === 'call' ? inputLength(part.input) : part.text.length
}

function inputLength(input: unknown): number {
  return JSON.stringify(input ?? null).length
}
