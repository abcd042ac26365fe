import type { HarnessEvent } from '../harness/index.ts'
import { type Clock, isoTime } from '../kit/index.ts'

/**
 * When the agent had what each of its messages answers to: its task, the results of its tools, an extension, or its own
 * message before. Taken at the first report of a message: results that come while it is written are not what it answers.
 */
export function createTurnStarts(clock: Clock) {
  const starts = new Map<string, string>()
  let last = clock.now()
  const handed = (): void => {
    last = clock.now()
  }
  return {
    handed,
    heard(event: HarnessEvent): void {
      if (event.type === 'session' || event.type === 'tool-result') handed()
      if (event.type !== 'usage') return
      if (!starts.has(event.messageId)) starts.set(event.messageId, isoTime(last))
      if (event.isPartial !== true) handed()
    },
    of: (messageId: string): string => starts.get(messageId) ?? isoTime(last),
  }
}
