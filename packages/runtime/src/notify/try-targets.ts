import type { Clock, Redactor } from '../kit/index.ts'
import { type ChannelOptions, openChannel } from './channels.ts'
import type { NotifyConfig } from './config.ts'
import { bodyOf } from './notice.ts'

export interface TriedTarget {
  readonly name: string
  /** Absent: it was told. */
  readonly problem?: string
  readonly ms: number
}

export interface TryOptions extends ChannelOptions {
  readonly clock: Clock
  readonly redactor: Redactor
  /** Names the notification, which is one of a kind. */
  readonly id: string
}

/** Sends one notification to each target, one try each, whatever it wants to be told. Never rejects. */
export async function tryTargets(
  { targets }: NotifyConfig,
  options: TryOptions,
): Promise<readonly TriedTarget[]> {
  const { clock, redactor, id } = options
  const timestamp = clock.now().toISOString()
  const message = 'This is a test: notifications of weave arrive here.'
  const notice = { id, seq: 0, type: 'test', timestamp, message, cost: 0, durationMs: 0 } as const
  const body = redactor.json(bodyOf(notice, { execution: 'none', hank: 'weave' }))
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
