import type { Clock } from '../../kit/index.ts'
import type { HarnessEvent } from '../harness-event.ts'
import type { Block, SdkMessage, ToolOutput } from './sdk-message.ts'
import { createUsageReports } from './usage-reports.ts'

/** Messages of one session to events. A message without news is a sign of life, told four times a second at most. */
export type Translate = (message: SdkMessage) => readonly HarnessEvent[]

/** Much less than the shortest idle timeout, which is a second. */
const betweenSignsMs = 250

export function createTranslate(clock: Clock): Translate {
  const tools = createToolBook(clock)
  const usage = createUsageReports()
  let lastSign = Number.NEGATIVE_INFINITY

  function signOfLife(): readonly HarnessEvent[] {
    if (clock.monotonic() - lastSign < betweenSignsMs) return []
    return [{ type: 'alive' }]
  }

  function news(message: SdkMessage): readonly HarnessEvent[] {
    switch (message.kind) {
      case 'answer':
        return [...message.blocks.map(tools.told), ...usage.told(message)]
      case 'answer-began':
        return usage.began(message)
      case 'answer-grew':
        return usage.grew(message)
      case 'tool-results':
        return message.results.map(tools.ended)
      case 'retry':
        return [{ type: 'waiting', delayMs: message.delayMs, reason: reasonOf(message.status) }]
      case 'compacted':
        return [{ type: 'compacted' }]
      case 'notice':
      case 'result':
      case 'alive':
      case 'unknown':
        return []
    }
  }

  return message => {
    const told = news(message)
    const events = told.length > 0 ? told : signOfLife()
    if (events.length > 0) lastSign = clock.monotonic()
    return events
  }
}

function reasonOf(status: number | undefined): string {
  if (status === undefined) return 'the provider could not be reached'
  if (status === 429) return 'the provider limits the rate of requests (429)'
  if (status === 529) return 'the provider is overloaded (529)'
  return `the provider answered with status ${status}`
}

/** Results do not say whose they are nor how long it took. */
function createToolBook(clock: Clock) {
  const open = new Map<string, { readonly name: string; readonly since: number }>()
  return {
    told(block: Block): HarnessEvent {
      if (block.type === 'tool-call') open.set(block.id, { name: block.name, since: clock.monotonic() })
      return block
    },
    ended({ id, output, isError }: ToolOutput): HarnessEvent {
      const now = clock.monotonic()
      const { name, since } = open.get(id) ?? { name: 'unknown', since: now }
      open.delete(id)
      return { type: 'tool-result', id, name, output, isError, durationMs: Math.round(now - since) }
    },
  }
}
