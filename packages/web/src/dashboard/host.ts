import type { ReadErrorCode } from 'weave-client'
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
  try {
    const headers = { Authorization: `Bearer ${known.token}` }
    const response = await fetch(address, { headers, ...(signal ? { signal } : {}) })
    if (response.ok) return { ok: true, value: response }
    if (response.status === 401) endSession(window)
    return { ok: false, ...(await problemIn(response)) }
  } catch {
    return broken
  }
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

export function executionAddress(
  name: string,
  part = '',
  parameters: Readonly<Record<string, string>> = {},
): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== '')
  const search = given.length > 0 ? `?${new URLSearchParams(given).toString()}` : ''
  return `/api/e/${encodeURIComponent(name)}${part === '' ? '' : `/${part}`}${search}`
}
