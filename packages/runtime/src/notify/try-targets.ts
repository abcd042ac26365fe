import type { Clock, Redactor } from '../kit/index.ts'
import { type ChannelOptions, openChannel } from './channels.ts'
import type { NotifyConfig, NotifyTarget } from './config.ts'
import { bodyOf, type Notice, type NoticeOrigin } from './notice.ts'
import { wantedTypes, wantsHank } from './wanted.ts'

export interface TriedTarget {
  readonly name: string
  /** Absent: it was told. */
  readonly problem?: string
  readonly ms: number
}

export interface TellOptions extends ChannelOptions {
  readonly clock: Clock
  readonly redactor: Redactor
}

export interface TryOptions extends TellOptions {
  /** Names the notification, which is one of a kind. */
  readonly id: string
}

/** Sends one notification to each target, one try each, whatever it wants to be told. Never rejects. */
export async function tryTargets(
  { targets }: NotifyConfig,
  { id, ...options }: TryOptions,
): Promise<readonly TriedTarget[]> {
  const timestamp = options.clock.now().toISOString()
  const message = 'This is a test: notifications of weave arrive here.'
  const notice = { id, seq: 0, type: 'test', timestamp, message, cost: 0, durationMs: 0 } as const
  return tellEach(targets, { notice, origin: { execution: 'none', hank: 'weave' } }, options)
}

/** A batch of a fleet that no run belongs to any more. */
export interface PausedNotice {
  /** The same whoever tells it. */
  readonly id: string
  readonly timestamp: string
  readonly batch: string
  readonly name: string
  readonly message: string
}

/** Whether anybody wants to be told of batches. */
export function wantsBatches({ targets }: NotifyConfig): boolean {
  return targets.some(target => wantedTypes(target).has('batch.paused'))
}

/** Tells those who want to know that a batch was paused, one try each. Never rejects. */
export async function tellPaused(
  { targets }: NotifyConfig,
  { id, timestamp, batch, name, message }: PausedNotice,
  options: TellOptions,
): Promise<readonly TriedTarget[]> {
  const notice = { id, seq: 0, type: 'batch.paused', timestamp, message, cost: 0, durationMs: 0 } as const
  const meant = targets.filter(target => wantedTypes(target).has('batch.paused') && wantsHank(target, name))
  return tellEach(meant, { notice, origin: { execution: batch, hank: name } }, options)
}

async function tellEach(
  targets: readonly NotifyTarget[],
  { notice, origin }: { readonly notice: Notice; readonly origin: NoticeOrigin },
  options: TellOptions,
): Promise<readonly TriedTarget[]> {
  const { clock, redactor } = options
  const body = redactor.json(bodyOf(notice, origin))
  return Promise.all(
    targets.map(async target => {
      const began = clock.monotonic()
      const opened = await openChannel(target, options)
      if (!opened.ok) return { name: opened.name, problem: opened.message, ms: 0 }
      const { channel } = opened
      const told = await channel.deliver(notice, body, new AbortController().signal)
      const ms = clock.monotonic() - began
      return { name: channel.name, ms, ...(!told.ok && { problem: redactor.text(told.message) }) }
    }),
  )
}
