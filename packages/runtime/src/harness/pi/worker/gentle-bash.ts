import type { BashOperations } from '@earendil-works/pi-coding-agent'
import { type Clock, processTable, signalGroup } from '../../../kit/index.ts'

const graceMs = 2_000

/** The SDK kills a command at once when the agent is stopped. Here it is asked first: SIGTERM to its group. */
export function gentleBash(local: BashOperations, clock: Clock): BashOperations {
  return {
    async exec(command, cwd, { signal, ...options }) {
      const kill = new AbortController()
      const over = new AbortController()
      const stop = async (): Promise<void> => {
        await askCommands()
        await clock.sleep(graceMs, over.signal).then(
          () => kill.abort(),
          () => undefined,
        )
      }
      const ask = () => void stop()
      signal?.addEventListener('abort', ask, { once: true })
      if (signal?.aborted) kill.abort()
      try {
        const result = await local.exec(command, cwd, { ...options, signal: kill.signal })
        // What the SDK expects of a command that was stopped.
        if (signal?.aborted) throw new Error('aborted')
        return result
      } finally {
        signal?.removeEventListener('abort', ask)
        over.abort()
      }
    },
  }
}

/** Commands are all that this process ever starts; each leads a group of its own. */
async function askCommands(): Promise<void> {
  for (const { pid, parent, group } of await processTable()) {
    if (parent === process.pid && group === pid) signalGroup(pid, 'SIGTERM')
  }
}
