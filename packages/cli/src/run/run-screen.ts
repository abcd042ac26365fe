import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import { restoreSequence } from '@weave/tui'
import { asCommand } from '../program.ts'
import type { TerminalUiOptions } from '../terminal-ui.ts'

export interface RunScreen {
  /** Settles once. */
  readonly ended: Promise<ScreenEnd>
  /** Takes the screen away; settles when the terminal is as it was. */
  readonly close: () => Promise<void>
}

export type ScreenEnd =
  /** A person left it, or it was taken away. */
  | { readonly kind: 'left' }
  /** A person does not want to wait for a graceful end. */
  | { readonly kind: 'forced' }
  /** Something else ended it; the run has nobody at the terminal any more. */
  | { readonly kind: 'failed'; readonly why: string }

/** How long a screen may take to go. */
const longestLeaving = 2_000
/** What is kept of what it says when it fails. */
const keptWords = 4_000

/**
 * The terminal UI of a run, in a process of its own that knows the run only over the control socket. Its death, in whatever
 * way, leaves the terminal as it was and the run going.
 */
export function openRunScreen(options: TerminalUiOptions): RunScreen {
  const terminal = takeTerminal()
  const { command, args } = asCommand('terminal-face')
  const child = spawn(command, [...args], {
    stdio: [terminal.input, 'inherit', 'pipe', 'ipc'],
    env: uiEnvironment(process.env),
  })
  const killed = (): void => {
    child.kill('SIGKILL')
    terminal.restore()
  }
  process.once('exit', killed)
  const ended = endOf(child).then(end => {
    process.off('exit', killed)
    if (end.kind === 'failed') terminal.restore()
    terminal.close()
    return end
  })
  child.send(options)
  return {
    ended,
    async close() {
      if (child.connected) child.disconnect()
      const guard = setTimeout(() => child.kill('SIGKILL'), longestLeaving)
      await ended
      clearTimeout(guard)
    },
  }
}

function endOf(child: ChildProcess): Promise<ScreenEnd> {
  let said: unknown
  let words = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-keptWords)
  })
  child.on('message', message => {
    said = message
  })
  return new Promise(resolve => {
    child.on('error', error => resolve({ kind: 'failed', why: error.message }))
    // Not `close`: it never comes when this side lets go of the channel first.
    child.once('exit', (code, signal) => {
      const tell = (): void => {
        if (said === 'forced') resolve({ kind: 'forced' })
        else if (said === 'left' || code === 0) resolve({ kind: 'left' })
        else resolve({ kind: 'failed', why: words.trim() || `it ended with ${signal ?? code}` })
      }
      if (!child.stderr || child.stderr.closed) tell()
      else child.stderr.once('close', tell)
    })
  })
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
  const names = ['PATH', 'HOME', 'TERM', 'COLORTERM', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TMPDIR']
  return Object.fromEntries(
    names.flatMap(name => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  )
}
