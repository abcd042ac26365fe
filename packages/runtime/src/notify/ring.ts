import type { OpenedChannel } from './deliver.ts'
import { type NoticeBody, textOf } from './notice.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface RingOptions {
  /** Writes to the terminal in which a person sees the run; undefined: there is none. */
  readonly write: ((bytes: string) => void) | undefined
  readonly environment: Environment
  /** Whether tmux hands on what is not for itself. Never rejects. */
  readonly passesThrough: () => Promise<boolean>
}

/** The terminal in which a run is shown; it may be on another machine than the run. */
export function openRing({ write, environment, passesThrough }: RingOptions): OpenedChannel {
  const name = 'terminal'
  if (!write) return { ok: false, name, message: 'the run has no terminal' }
  const isTmux = Boolean(environment['TMUX'])
  let passes: Promise<boolean> | undefined
  return {
    ok: true,
    channel: {
      name,
      async deliver(_, body) {
        if (isTmux) passes ??= passesThrough()
        write(ringOf(body, { environment, passes: (await passes) ?? true }))
        return { ok: true }
      },
    },
  }
}

export interface RingSurroundings {
  readonly environment: Environment
  /** In tmux: whether it hands on what is not for itself. */
  readonly passes: boolean
}

const bell = '\u0007'
const esc = '\u001b'
const end = `${esc}\\`

/** A bell, and what most terminals show as a notification; kitty has a sequence of its own. */
export function ringOf(body: NoticeBody, { environment, passes }: RingSurroundings): string {
  const { title, text } = textOf(body)
  const [first, second] = [title, text].map(inOneLine)
  const isKitty = environment['TERM'] === 'xterm-kitty' || Boolean(environment['KITTY_WINDOW_ID'])
  const sequence = isKitty
    ? `${esc}]99;i=weave:d=0:p=title;${first}${end}${esc}]99;i=weave:d=1:p=body;${second}${end}`
    : `${esc}]9;${first}: ${second}${end}`
  if (!environment['TMUX']) return bell + sequence
  return passes ? `${bell}${esc}Ptmux;${sequence.replaceAll(esc, esc + esc)}${end}` : bell
}

/** Nothing of it may end the sequence, or begin another. */
function inOneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, 400)
}
