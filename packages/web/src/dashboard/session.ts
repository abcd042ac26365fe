import { signal } from '@preact/signals'
import type { WebSession } from 'weave-client'
import { firstQuestions, isSession, keptSession, sessionKey } from './first-questions.ts'

/**
 * Who this page is to its host. The key of a link is taken out of the address before anything else happens and is used once;
 * what it buys is kept for this tab only. A tab without one asks those that are open. No cookie: it would go to every port.
 */
export type SessionState =
  | { readonly state: 'asking' }
  | { readonly state: 'open'; readonly token: string; readonly mode: WebSession['mode'] }
  | { readonly state: 'none'; readonly message: string }

export const session = signal<SessionState>({ state: 'asking' })

const answerWithinMs = 400

/** A session from the key of the link, from this tab, or from another one. */
export async function startSession(page: Window): Promise<void> {
  const { bought: buying } = firstQuestions(page)
  const channel = new BroadcastChannel('weave')
  const kept = keptSession(page)
  const bought = await buying
  if (bought?.ok) open(page, bought.session)
  else if (kept) open(page, kept)
  else {
    const lent = bought ? undefined : await askOtherTabs(channel)
    if (lent) open(page, lent)
    else session.value = { state: 'none', message: bought ? refusal(bought, page) : needsLink(page) }
  }
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => answerTab(page, channel, data))
}

/** The host no longer knows the session. */
export function endSession(page: Window): void {
  page.sessionStorage.removeItem(sessionKey)
  const message = `The session has ended. For a new one: ${commandFor(page.location.pathname)}`
  session.value = { state: 'none', message }
}

function refusal({ body }: { readonly body?: unknown }, { location }: Window): string {
  if (body === undefined) return 'The program behind this page does not answer. Is it still running?'
  const { error, message } = Object(body) as { readonly error?: unknown; readonly message?: unknown }
  if (error === 'KEY_USED')
    return `This link was used before. If that was not you, end the hub; otherwise: ${commandFor(location.pathname)}`
  return typeof message === 'string' ? message : 'The link was not accepted.'
}

function open(page: Window, found: WebSession): void {
  page.sessionStorage.setItem(sessionKey, JSON.stringify(found))
  session.value = { state: 'open', token: found.session, mode: found.mode }
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
  const own = keptSession(page)
  if (asks === 'session' && own) channel.postMessage({ lent: own })
}

function executionIn(path: string): string | undefined {
  const name = /^\/e\/([^/]+)/.exec(path)?.[1]
  return name === undefined ? undefined : decodeURIComponent(name)
}

function commandFor(path: string): string {
  const execution = executionIn(path)
  return execution === undefined ? 'weave web' : `weave open ${execution}`
}

function needsLink({ location }: Window): string {
  return `This page opens with a link of your own. For one: ${commandFor(location.pathname)}`
}
