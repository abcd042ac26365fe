import type { ClientMessage, HandshakeRequest } from '@weave/protocol'
import type { Refusal } from './voice.ts'

/** Why a message is not acted on. */
type Unfit = Exclude<ClientMessage, { readonly kind: 'handshake' }>

export const binaryMessage: Refusal = { code: 'INVALID_JSON', message: 'Messages are JSON in text frames.' }

/** Which command it was is not known: it was not read. */
export function tooLargeMessage(limit: number): Refusal {
  return { code: 'MESSAGE_TOO_LARGE', message: `A message may be ${limit} bytes long. This connection ends.` }
}

/** Before the handshake only one that was tried and failed is explained; everything else is told to begin with it. */
export function beforeHandshake(message: Unfit, text: string): Refusal {
  if (message.kind === 'problem' && isHandshake(message, text)) return message
  return {
    code: 'HANDSHAKE_REQUIRED',
    message: 'The first message is a handshake: {"type":"handshake","data":{"mode":"readonly"}}.',
    commandId: message.kind === 'command' ? message.command.id : message.commandId,
  }
}

export function afterHandshake(problem: Unfit & { readonly kind: 'problem' }, text: string): Refusal {
  return isHandshake(problem, text) ? secondHandshake(problem.commandId) : problem
}

export function secondHandshake(commandId: string | undefined): Refusal {
  return { code: 'ALREADY_HANDSHAKEN', message: 'This connection has shaken hands already.', commandId }
}

export function untrusted({ id }: HandshakeRequest): Refusal {
  return {
    code: 'INSUFFICIENT_PERMISSIONS',
    message: 'This server asks for its token in the handshake.',
    commandId: id,
  }
}

function isHandshake({ code }: { readonly code: string }, text: string): boolean {
  if (code !== 'INVALID_COMMAND') return false
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'handshake'
}
