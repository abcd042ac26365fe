import type { JournaledEvent } from '@weave/protocol'
import { describeEvent } from 'weave-client'
import type { Terminal } from '../terminal.ts'

/** Said for programs and clients; a person reading along needs none of them. */
const quiet: ReadonlySet<string> = new Set([
  'state.transition',
  'state.snapshot',
  'filetree.updated',
  'preflight.result',
  'server.idle',
  'run.completed',
])

/** Whether a person reading along wants to hear of such an event. */
export function isForPeople(type: string): boolean {
  return !quiet.has(type)
}

/** One plain line for each thing that matters to a person, or every event as a JSON line. */
export function printEvents(terminal: Terminal, { json }: { readonly json: boolean }) {
  return ({ event, text }: { readonly event: JournaledEvent; readonly text: string }): void => {
    if (json) terminal.json(text)
    else if (isForPeople(event.type)) terminal.out(`${event.timestamp.slice(11, 19)} ${describeEvent(event)}`)
  }
}
