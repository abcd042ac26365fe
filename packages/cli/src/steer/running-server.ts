import { type ExecutionLayout, type LockRecord, readLock, systemClock } from '@weave/runtime'
import type { ClientMode, WeaveClient } from 'weave-client'
import type { Arguments } from '../parse-arguments.ts'

/** A server that is at work in an execution, as its lock tells. */
export interface RunningServer {
  readonly record: LockRecord
  /** Undefined while it does not listen yet. */
  readonly url: string | undefined
  /** What it asks clients for, if we know it. */
  readonly token: string | undefined
}

/** Undefined: nobody is at work there. */
export async function runningServer(
  { lockFile }: ExecutionLayout,
  { texts }: Arguments,
): Promise<RunningServer | undefined> {
  const lock = await readLock(lockFile, systemClock)
  const record = lock.kind === 'held' ? lock.holder.record : undefined
  if (!record) return undefined
  return {
    record,
    url: record.port === 0 ? undefined : `ws://127.0.0.1:${record.port}`,
    token: texts.token ?? process.env['WEAVE_TOKEN'] ?? record.token,
  }
}

export type OpenedClient =
  | { readonly ok: true; readonly client: WeaveClient }
  | { readonly ok: false; readonly message: string }

/** A client that has shaken hands, with the right that was asked for; a lost connection is its end. */
export async function openClient(
  { url, token }: RunningServer,
  mode: ClientMode,
  face?: 'cli',
): Promise<OpenedClient> {
  if (url === undefined) return { ok: false, message: 'It is starting and does not listen yet. Try again.' }
  const { connect } = await import('weave-client')
  const { WebSocket } = await import('ws')
  const client = connect(url, {
    mode,
    socket: WebSocket,
    reconnect: false,
    ...(face && { extensions: ['weave', `weave-${face}`] }),
    ...(token !== undefined && { token }),
  })
  const opened = await client.opened
  if (!opened.ok) return { ok: false, message: `It did not let us in: ${opened.reason || opened.code}` }
  if (mode === 'readonly' || opened.mode === mode) return { ok: true, client }
  client.close()
  return {
    ok: false,
    message:
      'It lets us watch only: it was started with --readonly-only, or this shell belongs to its own agent.',
  }
}
