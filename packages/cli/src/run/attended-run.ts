import type { JournaledEvent } from '@weave/protocol'
import type { Execution } from '@weave/runtime'
import { exitCodes } from '../exit.ts'
import type { FaceWish } from '../show-face.ts'
import type { Terminal } from '../terminal.ts'
import { holdable } from './held-terminal.ts'
import { printEvents } from './print-events.ts'

/** Who sees a run: a person at a screen, or a reader of plain lines; and the second when the first has gone. */
export interface Attendance {
  /** A person is at a screen, at least in the beginning. */
  readonly hasScreen: boolean
  /** Where words for people go; they wait while a screen is up. */
  readonly terminal: Terminal
  readonly onEvent: ReturnType<typeof printEvents>
  /** The screen is gone although nobody took it away. */
  readonly isAbandoned: boolean
  /** Brings the screen up, if there is to be one. */
  begin(execution: Pick<Execution, 'runner' | 'url'>): Promise<void>
  /** Takes it away again and says what waited. */
  end(): Promise<void>
}

export interface AttendanceOptions {
  readonly terminal: Terminal
  readonly json: boolean
  /** Absent: plain lines from the beginning. */
  readonly face: Omit<FaceWish, 'url' | 'mode' | 'ownsRun'> | undefined
  /** The server stays up also when nobody is at the terminal. */
  readonly keepAlive: boolean
}

export function attend({ terminal, json, face, keepAlive }: AttendanceOptions): Attendance {
  const held = holdable(terminal)
  const print = printEvents(held, { json })
  let isIdle = false
  let isAbandoned = false
  let ending = false
  let close = async (): Promise<void> => {}
  let alone: (() => void) | undefined

  const follow = ({ type, data }: JournaledEvent): void => {
    if (type === 'server.idle') isIdle = true
    // `codon.started` comes only after its rig, which may take long.
    if (type === 'state.transition' && data.transitionType === 'CodonStarted') isIdle = false
    if (isIdle) alone?.()
  }
  return {
    hasScreen: face !== undefined,
    get isAbandoned() {
      return isAbandoned
    },
    terminal: held,
    onEvent(told) {
      if (!held.isHeld) print(told)
      follow(told.event)
    },
    async begin({ runner, url }) {
      if (!face) return
      const { openRunScreen } = await import('./run-screen.ts')
      held.hold()
      const screen = openRunScreen({ ...face, url, mode: 'readandwrite', ownsRun: true })
      close = screen.close
      void screen.ended.then(end => {
        if (ending) return
        if (end.kind === 'forced') process.exit(exitCodes.interrupted)
        if (end.kind === 'left') return runner.shutdown('left at the terminal')
        isAbandoned = true
        held.release()
        held.error(`The terminal UI has ended unexpectedly: ${end.why}`)
        // Nobody is there to answer a server that waits.
        alone = keepAlive ? undefined : () => runner.shutdown('nobody is at the terminal')
        held.error(isIdle && alone ? endsToo : goesOn)
        if (isIdle) alone?.()
      })
    },
    async end() {
      ending = true
      await close()
      held.release()
    },
  }
}

const goesOn = 'The run goes on; from here on one line for each thing that happens.'
const endsToo = 'The server waits for somebody, so it ends too. --headless runs a hank without a screen.'
