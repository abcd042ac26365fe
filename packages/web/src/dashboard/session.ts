import { signal } from '@preact/signals'
import type { WebSession } from 'weave-client'

/**
 * Who this page is to its host. The key of a link is taken out of the address before anything else happens and is used once;
 * what it buys is kept for this tab only. A tab without one asks those that are open. No cookie: it would go to every port.
 */
export type SessionState =
  | { readonly state: 'asking' }
  | { readonly state: 'open'; readonly token: string; readonly mode: WebSession['mode'] }
  | { readonly state: 'none'; readonly message: string }

export const session = signal<SessionState>({ state: 'asking' })

const storedAs = 'weave-session'
const answerWithinMs = 400

/** Takes the key out of the address at once; then gets a session with it, from this tab, or from another one. */
export async function startSession(page: Window): Promise<void> {
  const key = takenKey(page)
  const channel = new BroadcastChannel('weave')
  const kept = stored(page)
  const bought = key === undefined ? undefined : await buySession(key, executionIn(page.location.pathname))
  if (bought?.ok) open(page, bought.session)
  else if (kept) open(page, kept)
  else {
    const lent = bought ? undefined : await askOtherTabs(channel)
    if (lent) open(page, lent)
    else session.value = { state: 'none', message: bought?.message ?? needsLink(page.location.pathname) }
  }
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => answerTab(page, channel, data))
}

/** The host no longer knows the session. */
export function endSession(page: Window): void {
  page.sessionStorage.removeItem(storedAs)
  const message = `The session has ended. For a new one: ${commandFor(page.location.pathname)}`
  session.value = { state: 'none', message }
}

function takenKey(page: Window): string | undefined {
  const { hash, pathname, search } = page.location
  const key = /^#key=([\w-]{20,200})$/.exec(hash)?.[1]
  if (hash !== '') page.history.replaceState(null, '', `${pathname}${search}`)
  return key
}

type Bought =
  | { readonly ok: true; readonly session: WebSession }
  | { readonly ok: false; readonly message: string }

async function buySession(key: string, execution: string | undefined): Promise<Bought> {
  try {
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch('/api/session', { method: 'POST', headers, body: JSON.stringify({ key }) })
    const body: unknown = await answer.json()
    if (answer.ok && isSession(body)) return { ok: true, session: body }
    return { ok: false, message: refusal(body, execution) }
  } catch {
    return { ok: false, message: 'The program behind this page does not answer. Is it still running?' }
  }
}

function refusal(body: unknown, execution: string | undefined): string {
  const { error, message } = Object(body) as { readonly error?: unknown; readonly message?: unknown }
  if (error === 'KEY_USED')
    return `This link was used before. If that was not you, end the hub; otherwise: ${openCommand(execution)}`
  return typeof message === 'string' ? message : 'The link was not accepted.'
}

function open(page: Window, found: WebSession): void {
  page.sessionStorage.setItem(storedAs, JSON.stringify(found))
  session.value = { state: 'open', token: found.session, mode: found.mode }
}

function stored(page: Window): WebSession | undefined {
  try {
    const value: unknown = JSON.parse(page.sessionStorage.getItem(storedAs) ?? 'null')
    return isSession(value) ? value : undefined
  } catch {
    return undefined
  }
}

function askOtherTabs(channel: BroadcastChannel): Promise<WebSession | undefined> {
  return new Promise(resolve => {
    const hear = ({ data }: MessageEvent<unknown>): void => {
      const { lent } = Object(data) as { readonly lent?: unknown }
      if (isSession(lent)) resolve(lent)
    }
    channel.addEventListener('message', hear)
    channel.postMessage({ asks: 'session' })
    setTimeout(() => {
      channel.removeEventListener('message', hear)
      resolve(undefined)
    }, answerWithinMs)
  })
}

function answerTab(page: Window, channel: BroadcastChannel, data: unknown): void {
  const { asks } = Object(data) as { readonly asks?: unknown }
  const own = stored(page)
  if (asks === 'session' && own) channel.postMessage({ lent: own })
}

function isSession(value: unknown): value is WebSession {
  const { session: token, mode } = Object(value) as { readonly session?: unknown; readonly mode?: unknown }
  return typeof token === 'string' && (mode === 'readandwrite' || mode === 'readonly')
}

function executionIn(path: string): string | undefined {
  const name = /^\/e\/([^/]+)/.exec(path)?.[1]
  return name === undefined ? undefined : decodeURIComponent(name)
}

function openCommand(execution: string | undefined): string {
  return execution === undefined ? 'weave web' : `weave open ${execution}`
}

function commandFor(path: string): string {
  return openCommand(executionIn(path))
}

function needsLink(path: string): string {
  return `This page opens with a link of your own. For one: ${commandFor(path)}`
}
