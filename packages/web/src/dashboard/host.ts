import type { ReadErrorCode } from 'weave-client'
import { askAhead, authorized, takeAhead } from './first-questions.ts'
import { endSession, session } from './session.ts'

export type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly code: ReadErrorCode | 'UNREACHABLE'; readonly message: string }

/** Asks the host. Never rejects; whoever aborted does not look at the answer. The host vouches for the shape. */
export async function ask<Value>(address: string, signal?: AbortSignal): Promise<Answer<Value>> {
  const answer = await request(address, signal)
  if (!answer.ok) return answer
  try {
    return { ok: true, value: (await answer.value.json()) as Value }
  } catch {
    return broken
  }
}

export async function request(address: string, signal?: AbortSignal): Promise<Answer<Response>> {
  const known = session.peek()
  if (known.state !== 'open') return { ok: false, code: 'NO_SESSION', message: 'There is no session.' }
  if (address.length > longestAddress) return tooLong
  try {
    const asked = takeAhead(address)
    const response = await (asked ??
      fetch(address, { ...authorized(known.token), ...(signal ? { signal } : {}) }))
    if (response.ok) return { ok: true, value: response }
    if (response.status === 401) endSession(window)
    return { ok: false, ...(await problemIn(response)) }
  } catch {
    return broken
  }
}

/** A host reads 16 kB of address and headers together; a file's path of 4,096 bytes fits, however it is encoded. */
const longestAddress = 14_000
const tooLong = {
  ok: false,
  code: 'BAD_REQUEST',
  message: 'That is too long to ask for. Look for a part of it.',
} as const

/** Asks for what is about to be needed, so that it comes while the page around it is made. */
export function expectAnswers(addresses: readonly string[]): void {
  const known = session.peek()
  if (known.state === 'open') askAhead(addresses, known.token)
}

const broken = {
  ok: false,
  code: 'UNREACHABLE',
  message: 'The program behind this page does not answer.',
} as const

async function problemIn(response: Response): Promise<{ code: ReadErrorCode; message: string }> {
  try {
    const { error, message } = (await response.json()) as { error: ReadErrorCode; message: string }
    return { code: error, message }
  } catch {
    return { code: 'UNREADABLE', message: `The answer was ${response.status}.` }
  }
}
