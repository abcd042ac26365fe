import type { WebSession } from 'weave-client'
import { executionAddress, firstEventsAddress } from './addresses.ts'
import { routeOf } from './routes.ts'
import { filterOf } from './stream-filter.ts'

/**
 * What the page asks before it is there: a script of its own, which comes long before the rest, buys the session with the key
 * of the link and asks for what the address shows. The page finds the answers under way when it begins.
 */
export interface FirstQuestions {
  /** What the key of the link bought; undefined: there was no key. */
  readonly bought: Promise<Bought> | undefined
}

export type Bought =
  | { readonly ok: true; readonly session: WebSession }
  /** `body`: what the host said, if it said anything. */
  | { readonly ok: false; readonly body?: unknown }

/** The early script and the page are bundled apart, so that the first need not wait for what both need; this they share. */
interface Shared {
  asked?: FirstQuestions
  ahead: Map<string, Promise<Response>>
}

const sharedKey = Symbol.for('weave first questions')

function shared(): Shared {
  const page = globalThis as { [sharedKey]?: Shared }
  page[sharedKey] ??= { ahead: new Map() }
  return page[sharedKey]
}

/** Takes the key out of the address before anything else is done. Whoever calls it second gets the same. */
export function firstQuestions(page: Window): FirstQuestions {
  const known = shared()
  known.asked ??= begun(page)
  return known.asked
}

function begun(page: Window): FirstQuestions {
  const key = takenKey(page)
  const addresses = addressesFor(page.location)
  const kept = key === undefined ? keptSession(page) : undefined
  if (kept) askAhead(addresses, kept.session)
  const bought = key === undefined ? undefined : bySession(key)
  void bought?.then(answer => answer.ok && askAhead(addresses, answer.session.session))
  return { bought }
}

function takenKey(page: Window): string | undefined {
  const { hash, pathname, search } = page.location
  const key = /^#key=([\w-]{20,200})$/.exec(hash)?.[1]
  if (hash !== '') page.history.replaceState(null, '', `${pathname}${search}`)
  return key
}

async function bySession(key: string): Promise<Bought> {
  try {
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch('/api/session', { method: 'POST', headers, body: JSON.stringify({ key }) })
    const body: unknown = await answer.json()
    return answer.ok && isSession(body) ? { ok: true, session: body } : { ok: false, body }
  } catch {
    return { ok: false }
  }
}

/** What an address shows first. */
function addressesFor(location: Location): readonly string[] {
  const route = routeOf(location)
  if (route.page === 'executions') return ['/api/executions']
  if (route.page !== 'run') return []
  const { name, parameters } = route
  const events = { name, filter: filterOf(parameters), at: Number(parameters['at']) || undefined }
  // In this order: the events are what is waited for, and the rest of an execution may take long to be read.
  return [...(route.panel === 'stream' ? [firstEventsAddress(events)] : []), executionAddress(name)]
}

/** Asks for what is about to be needed; what was asked for before and nobody took is forgotten. */
export function askAhead(addresses: readonly string[], token: string): void {
  const known = shared()
  known.ahead = new Map(
    addresses.map(address => [address, known.ahead.get(address) ?? fetch(address, authorized(token))]),
  )
  // Who takes it sees the failure.
  for (const answer of known.ahead.values()) answer.catch(() => undefined)
}

/** Once: a later answer may be another one. */
export function takeAhead(address: string): Promise<Response> | undefined {
  const { ahead } = shared()
  const answer = ahead.get(address)
  ahead.delete(address)
  return answer
}

export function authorized(token: string): { readonly headers: Readonly<Record<string, string>> } {
  return { headers: { Authorization: `Bearer ${token}` } }
}

export const sessionKey = 'weave-session'

/** The session of this tab, from before it was loaded again. */
export function keptSession(page: Window): WebSession | undefined {
  try {
    const value: unknown = JSON.parse(page.sessionStorage.getItem(sessionKey) ?? 'null')
    return isSession(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function isSession(value: unknown): value is WebSession {
  const { session: token, mode } = Object(value) as { readonly session?: unknown; readonly mode?: unknown }
  return typeof token === 'string' && (mode === 'readandwrite' || mode === 'readonly')
}
