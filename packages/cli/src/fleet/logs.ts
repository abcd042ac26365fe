import { setTimeout as delay } from 'node:timers/promises'
import { parseEvent } from 'weave-client'
import type { TailEvent } from 'weave-fleet'
import { journalLine } from '../journal.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import type { Asked } from './deed.ts'
import { eventLine } from './status-lines.ts'
import type { OpenedFleet } from './with-fleet.ts'

const mostLogs = 1_000
const followMs = 1_000

/**
 * `weave fleet logs <batch|execution>`: what the tables say of it. With `-f` it goes on, and for an execution also with what
 * happens inside of it: while somebody asks, its worker shows it.
 */
export async function logs({ target, args, terminal }: Asked, opened: OpenedFleet): Promise<ExitCode> {
  const { fleet, library } = opened
  await library.assertKnown(fleet.engine, target)
  const isJson = args.switches.has('json')
  const isFollowed = args.switches.has('follow')
  const live = isFollowed && /\.\d+$/.test(target) ? liveEvents(target, opened, terminal) : undefined
  for (let after = 0; ; ) {
    const events = await library.listEvents(fleet.engine, { target, after, most: mostLogs })
    for (const event of events)
      if (isJson) terminal.json(JSON.stringify(event))
      else terminal.out(eventLine(event))
    after = events.at(-1)?.id ?? after
    if (!isFollowed) return exitCodes.done
    for (const event of (await live?.()) ?? []) sayLive(event, isJson, terminal)
    await delay(followMs)
  }
}

/** A login that may not look on is told so once, and sees what the tables say. */
function liveEvents(target: string, { fleet, library }: OpenedFleet, terminal: Terminal) {
  const next = library.createOnlooker(fleet, target)
  let isAllowed = true
  return async (): Promise<readonly TailEvent[]> => {
    if (!isAllowed) return []
    try {
      return await next()
    } catch (error) {
      if (library.faultOf(error)?.code !== 'FLEET_ROLE') throw error
      isAllowed = false
      terminal.error('What happens inside of it is not for this login: weave_submit may look on.')
      return []
    }
  }
}

function sayLive({ text }: TailEvent, isJson: boolean, terminal: Terminal): void {
  if (isJson) {
    terminal.json(text)
    return
  }
  const read = parseEvent(JSON.parse(text))
  // Transitions say for programs what other events say for people.
  if (read.kind === 'event' && read.event.type !== 'state.transition') terminal.out(journalLine(read.event))
}
