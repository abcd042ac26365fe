import type { z } from 'zod'
import { type Command, commands, isCommandType } from './commands.ts'
import { commandEnvelope, eventEnvelope, type ServerEvent } from './envelope.ts'
import type { ErrorCode } from './error-codes.ts'
import { events, isEventType } from './events.ts'
import {
  type HandshakeRequest,
  type HandshakeResponse,
  handshakeRequest,
  handshakeResponse,
} from './handshake.ts'
import { isTransitionType, type Transition, transitions } from './transitions.ts'

/** Text frames to messages. Nothing here throws: what does not fit comes back as a value that says why. */

export type ClientMessage =
  | { readonly kind: 'handshake'; readonly handshake: HandshakeRequest }
  | { readonly kind: 'command'; readonly command: Command }
  | {
      readonly kind: 'problem'
      readonly code: ErrorCode
      readonly message: string
      readonly commandId?: string
    }

/**
 * Strict: an unknown key in a command is refused, so that a typing error never acts as a default. What a problem quotes of the
 * frame goes through `clean` before it is shortened: a secret that is cut in two would not be found any more.
 */
export function parseClientMessage(
  text: string,
  clean: Clean = asIs,
  { extensions = true }: Known = {},
): ClientMessage {
  const value = parseJson(text)
  if (value === undefined) return problem('INVALID_JSON', 'The frame is not JSON.')
  if (!isRecord(value)) return problem('INVALID_COMMAND', 'A message is an object with id, type and data.')
  if (value['type'] === 'handshake') return parseHandshake(value, clean)
  return parseCommand(value, { clean, extensions })
}

interface Known {
  /** Whether the client asked for the extension: to all others its commands do not exist. */
  readonly extensions?: boolean
}

type Clean = (words: string) => string

const asIs: Clean = words => words

export type ServerMessage =
  | { readonly kind: 'event'; readonly event: ServerEvent }
  | { readonly kind: 'handshake'; readonly response: HandshakeResponse }
  | { readonly kind: 'unknown'; readonly type: string }
  | { readonly kind: 'problem'; readonly message: string }

/** Tolerant: unknown keys are kept, unknown event types are named and passed over, so that older clients live on. */
export function parseServerMessage(text: string): ServerMessage {
  return readServerMessage(parseJson(text))
}

/** The same for clients that asked for batches: one message, or a list of events. */
export function parseServerFrame(text: string): readonly ServerMessage[] {
  const value = parseJson(text)
  return Array.isArray(value) ? value.map(parseEvent) : [readServerMessage(value)]
}

function readServerMessage(value: unknown): ServerMessage {
  if (!isRecord(value)) return { kind: 'problem', message: 'The frame is not a JSON object.' }
  if (value['type'] !== 'handshake.response') return parseEvent(value)
  const response = handshakeResponse.safeParse(value)
  if (!response.success) return { kind: 'problem', message: explain(response.error) }
  return { kind: 'handshake', response: value as unknown as HandshakeResponse }
}

/** Reads one event that is already parsed as JSON, as in `eventHistory` and `history.batch`. */
export function parseEvent(value: unknown): ServerMessage {
  const envelope = eventEnvelope.safeParse(value)
  if (!envelope.success) return { kind: 'problem', message: explain(envelope.error) }
  const { type, data } = envelope.data
  if (!isEventType(type)) return { kind: 'unknown', type }
  const misfit = misfitOf(events[type].data, data)
  if (misfit !== undefined) return { kind: 'problem', message: `${type}: ${misfit}` }
  // The row's schema accepted the data; the value itself is handed on, so that keys newer than this client survive.
  return { kind: 'event', event: value as ServerEvent }
}

/** The transition inside a `state.transition` event, or why it is none. */
export function parseTransition(value: {
  readonly type: string
  readonly data: unknown
}): Transition | { readonly problem: string } {
  if (!isTransitionType(value.type)) return { problem: `unknown transition type ${value.type}` }
  const data = transitions[value.type].safeParse(value.data)
  if (!data.success) return { problem: `${value.type}: ${explain(data.error)}` }
  return { type: value.type, data: data.data } as Transition
}

function parseHandshake(value: Record<string, unknown>, clean: Clean): ClientMessage {
  const parsed = handshakeRequest.safeParse(value)
  if (!parsed.success) return problem('INVALID_COMMAND', explain(parsed.error, { clean }), value)
  return { kind: 'handshake', handshake: parsed.data }
}

interface Reading extends Required<Known> {
  readonly clean: Clean
}

function parseCommand(value: Record<string, unknown>, { clean, extensions }: Reading): ClientMessage {
  const envelope = commandEnvelope.safeParse(value)
  if (!envelope.success) return problem('INVALID_COMMAND', explain(envelope.error, { clean }), value)
  const { id, type } = envelope.data
  if (!isCommandType(type) || (commands[type].category === 'extension' && !extensions))
    return problem('UNKNOWN_COMMAND', `There is no command ${quoted(clean(type))}.`, value)
  // The frame's own data: the envelope's copy of it has lost a `__proto__` key, which is an unknown key like any other.
  const parsed = commands[type].data.safeParse(value['data'] ?? {})
  if (!parsed.success)
    return problem('INVALID_COMMAND', `${type}: ${explain(parsed.error, { root: 'data', clean })}`, value)
  return { kind: 'command', command: { id, type, data: parsed.data } as Command }
}

function problem(code: ErrorCode, message: string, value: Record<string, unknown> = {}): ClientMessage {
  const id = value['id']
  const answered = typeof id === 'string' && id.length > 0 && id.length <= 256
  return { kind: 'problem', code, message, ...(answered ? { commandId: id } : {}) }
}

/** Why a value does not fit. A tree nested deeper than the call stack makes the schema itself give up. */
function misfitOf(schema: z.ZodType, value: unknown): string | undefined {
  try {
    const checked = schema.safeParse(value)
    return checked.success ? undefined : explain(checked.error)
  } catch {
    return 'nested too deeply'
  }
}

function explain(error: z.ZodError, { root = '', clean = asIs } = {}): string {
  const faults = error.issues
    .slice(0, 5)
    .map(
      issue =>
        `${[root, ...issue.path.map(String)].filter(Boolean).join('.') || 'message'}: ${issue.message}`,
    )
  return shortened(clean(faults.join('; ')), 1_000)
}

function quoted(text: string): string {
  return JSON.stringify(shortened(text, 60))
}

/** A message names keys of the frame, and a frame may have a key of a megabyte. */
function shortened(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
