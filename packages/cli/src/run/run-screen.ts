import { spawnSync } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import { keepTail, type Supervised, supervise } from '@weave/runtime'
import { leftReason, restoreSequence } from '@weave/tui'
import { asCommand } from '../program.ts'
import type { TerminalUiOptions } from '../terminal-ui.ts'

export interface RunScreen {
  /** Settles once. */
  readonly ended: Promise<ScreenEnd>
  /** Why a run ends whose screen was left. */
  readonly leftReason: string
  /** Writes bytes to its terminal that are not for the screen. */
  readonly ring: (bytes: string) => void
  /** Takes the screen away; settles when the terminal is as it was. */
  readonly close: () => Promise<void>
}

export type ScreenEnd =
  /** A person left it, or it was taken away. */
  | { readonly kind: 'left' }
  /** A person wants the edited hank to take over. */
  | { readonly kind: 'adopt' }
  /** A person does not want to wait for a graceful end. */
  | { readonly kind: 'forced' }
  /** Something else ended it; the run has nobody at the terminal any more. */
  | { readonly kind: 'failed'; readonly why: string }

/** How long a screen may take to go. */
const longestLeaving = 2_000

/**
 * The terminal UI of a run, in a process of its own that knows the run only over the control socket. Its death, in whatever
 * way, leaves the terminal as it was and the run going.
 */
export function openRunScreen(options: TerminalUiOptions): RunScreen {
  const terminal = takeTerminal()
  const { command, args } = asCommand('terminal-face')
  const program = supervise(command, args, {
    stdio: [terminal.input, 'inherit', 'pipe', 'ipc'],
    env: uiEnvironment(process.env),
    // A terminal gives its keys to no other group than ours.
    sharesGroup: true,
  })
  const { child } = program
  const killed = (): void => {
    child?.kill('SIGKILL')
    terminal.restore()
  }
  process.once('exit', killed)
  const ended = endOf(program).then(end => {
    process.off('exit', killed)
    if (end.kind === 'failed') terminal.restore()
    terminal.close()
    return end
  })
  child?.send(options)
  return {
    ended,
    leftReason,
    ring(bytes) {
      if (child?.connected) child.send({ ring: bytes })
    },
    async close() {
      if (child?.connected) child.disconnect()
      const guard = setTimeout(() => void program.discard(), longestLeaving)
      await ended
      clearTimeout(guard)
    },
  }
}

async function endOf({ child, ended }: Supervised): Promise<ScreenEnd> {
  const stderr = child?.stderr
  const words = stderr ? keepTail(stderr) : () => ''
  const silent = new Promise<void>(resolve => stderr?.once('close', () => resolve()) ?? resolve())
  let said: unknown
  child?.on('message', message => {
    said = message
  })
  const { code, signal, error } = await ended
  if (error) return { kind: 'failed', why: error.message }
  await silent
  if (said === 'forced' || said === 'adopt') return { kind: said }
  if (said === 'left' || code === 0) return { kind: 'left' }
  return { kind: 'failed', why: words().trim() || `it ended with ${signal ?? code}` }
}

/** The terminal to read keys from, and how it was before. */
function takeTerminal() {
  const own = process.stdin.isTTY ? undefined : openSync('/dev/tty', 'r')
  const input = own ?? 0
  const { stdout: before } = spawnSync('stty', ['-g'], { stdio: [input, 'pipe', 'ignore'], encoding: 'utf8' })
  return {
    input,
    restore() {
      try {
        writeSync(1, restoreSequence)
      } catch {
        // The terminal is gone; there is nothing to restore.
      }
      if (before) spawnSync('stty', [before.trim()], { stdio: [input, 'ignore', 'ignore'] })
    },
    close() {
      if (own !== undefined) closeSync(own)
    },
  }
}

/** The screen needs no key of anybody. */
function uiEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = [
    'PATH',
    'HOME',
    'TERM',
    'COLORTERM',
    'LANG',
    'LC_ALL',
    'LC_CTYPE',
    'TMPDIR',
    'TZ',
    'VISUAL',
    'EDITOR',
    'SHELL',
    'XDG_CONFIG_HOME',
  ]
  return Object.fromEntries(
    names.flatMap(name => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  )
}
