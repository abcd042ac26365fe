import { statSync } from 'node:fs'
import { createAppender, executionLayout } from '@weave/runtime'
import { terminalOn } from '../terminal.ts'
import type { DetachedMessage } from './detached-message.ts'
import type { RunContext } from './execute.ts'

/** As for the log of the server. */
const largestLog = 16 << 20

/** A run whose terminal may go, or has gone: its words go into a file, and a hangup means nothing to it. */
export function detachedContext(given: RunContext): RunContext {
  process.on('SIGHUP', () => undefined)
  const { runLog } = executionLayout(given.args.texts.execution ?? '.')
  const log = createAppender(runLog, largestLog)
  const stream = {
    write(text: string): boolean {
      try {
        log.append(text)
      } catch {
        // A full disk costs lines, not the run.
      }
      return true
    },
  }
  return {
    ...given,
    terminal: terminalOn(stream, stream),
    onChecked: () => tell({ kind: 'checked', logBytes: sizeOf(runLog) }),
    onReady: ready => tell({ kind: 'ready', ...ready }, () => process.disconnect?.()),
  }
}

/** The other may be gone, which is what this process is made for. */
function tell(message: DetachedMessage, then: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => process.connected && then())
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
