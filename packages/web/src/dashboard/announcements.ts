import { signal } from '@preact/signals'
import { describeEvent, type ServerEvent } from 'weave-client'

/** For people who do not see the page: ends of codons, waits, breaches and errors, never the stream. */
export const announcement = signal('')

const told: ReadonlySet<string> = new Set([
  'codon.completed',
  'run.completed',
  'gate.waiting',
  'gate.decided',
  'budget.exceeded',
  'run.parked',
  'error',
])

export function announce(event: ServerEvent): void {
  if (told.has(event.type)) announcement.value = describeEvent(event, 160)
}
