import { exitCodes } from '../exit.ts'
import type { Terminal } from '../terminal.ts'

/**
 * Another process has the execution now. Ends this one at once, without a goodbye: whatever is said to anybody would be
 * written into what is another's. The warden ends what this process has started. The words come last, when a screen that
 * covered the terminal is gone.
 */
export function endWithoutExecution(terminal: Terminal, reason: string): void {
  process.once('exit', () =>
    terminal.error(
      `${reason}\nThis server ends, with its agents. "weave list" says who is at work there now.`,
    ),
  )
  process.exit(exitCodes.failed)
}
