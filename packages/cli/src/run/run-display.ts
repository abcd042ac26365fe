import { closeSync, openSync } from 'node:fs'
import type { JournaledEvent } from '@weave/protocol'
import type { Execution, ExecutionOptions } from '@weave/runtime'
import {
  activityText,
  clockText,
  describeEvent,
  harmlessLine,
  type ServerEvent,
  timeText,
} from 'weave-client'
import { hasColour, paintEvent } from '../colour.ts'
import { shellWord } from '../go-on.ts'
import type { Terminal } from '../terminal.ts'
import type { TerminalUiOptions } from '../terminal-ui.ts'

/** Who sees a run: a person at a screen, or a reader of plain lines; and the second when the first has gone. */
export interface RunDisplay {
  /** A person is at a screen, at least in the beginning. */
  readonly hasScreen: boolean
  /** Where words for people go; they wait while a screen is up. */
  readonly terminal: Terminal
  readonly onEvent: ReturnType<typeof printEvents>
  /** What takes long and is not in the journal. */
  readonly onActivity: NonNullable<ExecutionOptions['onActivity']>
  /** The screen is gone although nobody took it away. */
  readonly isAbandoned: boolean
  /** What a person wants to happen after the end. */
  readonly wish: 'adopt' | undefined
  /** Whether a run ends for this reason because a person left its screen; the screen itself may outlive the run. */
  readonly wasLeft: (reason: string | undefined) => boolean
  /** Writes a bell and the like to the terminal where a person sees the run; undefined: there is none. */
  readonly ring: ((bytes: string) => void) | undefined
  /** Brings the screen up, if there is to be one. */
  begin(execution: Pick<Execution, 'runner' | 'url'>): Promise<void>
  /** Takes it away again and says what waited. */
  end(): Promise<void>
}

export interface RunDisplayOptions {
  readonly terminal: Terminal
  readonly json: boolean
  /** What the execution is called on a command line. */
  readonly name?: string | undefined
  /** Absent: plain lines from the beginning. */
  readonly ui: Omit<TerminalUiOptions, 'url' | 'mode' | 'ownsRun'> | undefined
  /** The server stays up also when nobody is at the terminal. */
  readonly keepAlive: boolean
  /** Ends the process at once. */
  readonly forced: () => void
}

export function createRunDisplay({
  terminal,
  json,
  name,
  ui,
  keepAlive,
  forced,
}: RunDisplayOptions): RunDisplay {
  const held = holdable(terminal)
  const print = printEvents(held, { json, name })
  let isIdle = false
  let isAbandoned = false
  let leftReason: string | undefined
  let ending = false
  let wish: RunDisplay['wish']
  let close = async (): Promise<void> => {}
  const bell = createBell()
  let alone: (() => void) | undefined

  const follow = ({ type, data }: JournaledEvent): void => {
    if (type === 'server.idle') isIdle = true
    // `codon.started` comes only after its rig, which may take long.
    if (type === 'state.transition' && data.transitionType === 'CodonStarted') isIdle = false
    if (isIdle) alone?.()
  }
  return {
    hasScreen: ui !== undefined,
    ring: bell.ring,
    get isAbandoned() {
      return isAbandoned
    },
    get wish() {
      return wish
    },
    wasLeft: reason => reason !== undefined && reason === leftReason,
    terminal: held,
    onEvent(told) {
      if (!held.isHeld) print(told)
      follow(told.event)
    },
    onActivity: printActivities(held, { json }),
    async begin({ runner, url }) {
      if (!ui) return
      const { openRunScreen } = await import('./run-screen.ts')
      held.hold()
      const screen = openRunScreen({ ...ui, url, mode: 'readandwrite', ownsRun: true })
      close = screen.close
      bell.screen = screen.ring
      leftReason = screen.leftReason
      void screen.ended.then(end => {
        bell.screen = undefined
        if (ending) return
        if (end.kind === 'forced') return forced()
        if (end.kind === 'adopt') {
          wish = 'adopt'
          return runner.shutdown('the edited hank is to be adopted')
        }
        if (end.kind === 'left') return runner.shutdown(screen.leftReason)
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

type Ring = (bytes: string) => void

/** Where a person hears of the run: through the screen while it is up, otherwise on the terminal where the lines go. */
function createBell(): { screen: Ring | undefined; readonly ring: Ring | undefined } {
  const bell: ReturnType<typeof createBell> = {
    screen: undefined,
    ring: process.stderr.isTTY
      ? bytes => void (bell.screen ? bell.screen(bytes) : process.stderr.write(bytes))
      : undefined,
  }
  return bell
}

/** Milliseconds. */
const betweenActivities = 1_900

/** Emitted once a second; a reader of lines wants no more than to know that it goes on. */
function printActivities(held: HeldTerminal, { json }: { readonly json: boolean }): RunDisplay['onActivity'] {
  let last = 0
  return activity => {
    if (json || held.isHeld || activity.over) return
    const now = Date.now()
    if (now - last < betweenActivities) return
    last = now
    held.out(`${timeText(new Date(now))} ${harmlessLine(activityText(activity), 200)}`)
  }
}

const goesOn = 'The run goes on; from here on one line for each thing that happens.'
const endsToo = 'The server waits for somebody, so it ends too. --headless runs a hank without a screen.'

/** A terminal that a screen covers for a while: words for people wait until it is gone. */
interface HeldTerminal extends Terminal {
  readonly isHeld: boolean
  hold(): void
  /** Says everything that waited, in order. */
  release(): void
}

function holdable(terminal: Terminal): HeldTerminal {
  let waiting: (() => void)[] | undefined
  const say = (speak: () => void): void => {
    if (waiting) waiting.push(speak)
    else speak()
  }
  return {
    get isHeld() {
      return waiting !== undefined
    },
    out: (text, paint) => say(() => terminal.out(text, paint)),
    error: (text, paint) => say(() => terminal.error(text, paint)),
    json: json => say(() => terminal.json(json)),
    raw: text => say(() => terminal.raw(text)),
    hold() {
      waiting ??= []
    },
    release() {
      const all = waiting ?? []
      waiting = undefined
      for (const speak of all) speak()
    },
  }
}

/** Said for programs and clients; a person reading along needs none of them. */
const quiet: ReadonlySet<string> = new Set([
  'state.transition',
  'state.snapshot',
  'filetree.updated',
  'preflight.result',
  'server.idle',
  'run.completed',
  'outputs.copied',
])

/** Whether a person reading along wants to hear of such an event. */
export function isForPeople(type: string): boolean {
  return !quiet.has(type)
}

/** One plain line for each thing that matters to a person, or every event as a JSON line. */
function printEvents(terminal: Terminal, { json, name }: Pick<RunDisplayOptions, 'json' | 'name'>) {
  const isSaidBefore = createFailureMemory()
  return ({ event, text }: { readonly event: JournaledEvent; readonly text: string }): void => {
    if (json) terminal.json(text)
    else if (isForPeople(event.type) && !isSaidBefore(event)) {
      terminal.out(lineOf(event), paintEvent(event))
      if (event.type === 'gate.waiting' && name !== undefined) terminal.out(gateLine(name))
    }
  }
}

/** A codon that fails and ends its run is journaled twice, as its end and as an error: a person needs one line. */
function createFailureMemory() {
  let failed: { readonly codon: string; readonly why: string | undefined } | undefined
  return ({ type, data }: JournaledEvent): boolean => {
    if (type === 'codon.completed')
      failed = data.success ? undefined : { codon: data.codonId, why: data.failureReason?.message }
    if (type !== 'error' || !failed || data.severity === 'warning') return false
    return data.codon === failed.codon || data.message === failed.why
  }
}

/** What a person may do at a gate, below the line that says so. */
function gateLine(name: string): string {
  const word = shellWord(name)
  return `         weave gate approve ${word} -m "…"  ·  weave gate reject ${word}  ·  weave attach --steer ${word}`
}

const longestReason = 4_000

/** One event for people, with the time where they are. */
export function lineOf(event: ServerEvent): string {
  // Why a codon failed is said once, so all of it.
  const text = event.type === 'codon.completed' ? describeEvent(event, longestReason) : describeEvent(event)
  return `${clockText(event.timestamp)} ${text}`
}

/** Whether a person can be shown the terminal UI: a terminal to write to, one to read from, and the wish for it. */
export function wantsTerminalUi(switches: ReadonlySet<string>): boolean {
  if (switches.has('headless') || switches.has('json')) return false
  return process.stdout.isTTY === true && process.env['TERM'] !== 'dumb' && hasKeys()
}

/** The data may have come over stdin; then the keys are read from the terminal itself. */
function hasKeys(): boolean {
  if (process.stdin.isTTY) return true
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}

export function wantsColor(switches: ReadonlySet<string>): boolean {
  const words = switches.has('no-color') ? ['--no-color'] : []
  return hasColour({ isTty: true, words, environment: process.env })
}
