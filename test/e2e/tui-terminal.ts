import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempDir } from '../support/temp-dir.ts'

/** A command in a real terminal: `tmux` holds the terminal, keys go in and what it shows is looked at. */
export interface TerminalSession {
  readonly press: (...keys: readonly string[]) => void
  readonly screen: () => string
  /** The same with the codes for colours and the like. */
  readonly painted: () => string
  /** Resolves when the terminal shows it; rejects, with what it shows, when it does not in time. */
  readonly shows: (fits: string | RegExp) => Promise<string>
  readonly resize: (columns: number, rows: number) => void
  /** `true` while a page of its own covers the terminal. */
  readonly isCovered: () => boolean
  /** The process that runs in the terminal itself: the shell around the command. */
  readonly shell: () => number
}

export interface TerminalOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly columns?: number
  readonly rows?: number
}

const longestWait = 20_000

/**
 * Starts a shell command in a terminal. After it the terminal shows `EXIT` with its code and `RESTORED` if the terminal's
 * settings are what they were before.
 */
export async function startInTerminal(command: string, options: TerminalOptions): Promise<TerminalSession> {
  const { cwd, env, columns = 120, rows = 30 } = options
  const folder = await tempDir()
  const tmux = (...words: readonly string[]): string => {
    const socket = join(folder, 'tmux')
    const { stdout, error } = spawnSync('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...words], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], LANG: 'C.UTF-8' },
    })
    if (error)
      throw new Error(`tmux is needed to test in a terminal: apt-get install tmux (${error.message})`)
    return stdout
  }
  const script = `before=$(stty -g); ${command}; code=$?; [ "$before" = "$(stty -g)" ] && echo RESTORED; echo "EXIT $code"; exec sleep 600`
  const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const size = ['-x', String(columns), '-y', String(rows)]
  tmux('new-session', '-d', '-s', 's', '-c', cwd, ...size, ...variables, 'sh', '-c', script)
  onTestFinished(() => void tmux('kill-server'))

  const screen = (): string => tmux('capture-pane', '-p', '-t', 's')
  const told = (format: string): string => tmux('display-message', '-p', '-t', 's', format).trim()
  return {
    screen,
    painted: () => tmux('capture-pane', '-e', '-p', '-t', 's'),
    press: (...keys) => void tmux('send-keys', '-t', 's', ...keys),
    async shows(fits) {
      const until = performance.now() + longestWait
      for (;;) {
        const text = screen()
        if (typeof fits === 'string' ? text.includes(fits) : fits.test(text)) return text
        if (performance.now() > until) throw new Error(`The terminal does not show ${fits}:\n${text}`)
        await new Promise(resolve => setTimeout(resolve, 25))
      }
    },
    resize: (x, y) => void tmux('resize-window', '-t', 's', '-x', String(x), '-y', String(y)),
    isCovered: () => told('#{alternate_on}') === '1',
    shell: () => Number(told('#{pane_pid}')),
  }
}
