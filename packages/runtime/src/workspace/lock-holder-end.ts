import { errorCode, systemClock } from '../kit/index.ts'
import { isLocal, isRunning, type LockEntry } from './lock-record.ts'

/** How long a process may take to be gone after SIGKILL; one that waits for a broken disk takes for ever. */
const longestEndMs = 5_000
const pollMs = 10

/**
 * C7: ends the process that holds a lock which is about to be taken from it, so that it cannot wake up and write on.
 * Returns why not. Nothing is to be done when it has ended, runs elsewhere, or is known to hold another file.
 */
export async function endHolder(entry: LockEntry): Promise<string | undefined> {
  const { pid, record, isCopy } = entry
  if (pid === 0 || pid === process.pid || isCopy || !isLocal(entry) || !isRunning(entry)) return undefined
  // Only who wrote down which file it made is known to hold this one, and not the one that this is a copy of.
  if (record?.inode === undefined) return 'the lock does not prove that it is its own'
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    const code = errorCode(error)
    if (code !== 'ESRCH') return `it cannot be ended (${code ?? String(error)})`
  }
  const deadline = systemClock.monotonic() + longestEndMs
  while (isRunning(entry) && systemClock.monotonic() < deadline) await systemClock.sleep(pollMs)
  return isRunning(entry) ? 'it does not end' : undefined
}
