import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { createHistory, createTail } from '../journal/index.ts'
import { systemClock } from '../kit/index.ts'
import { Follower } from './follower.ts'
import type { EndedSpan } from './span.ts'
import type { FromThread, ToThread, TracedRun } from './thread-messages.ts'

/** Sends the spans of a run, in a thread that `startLiveTraces` has started. */
export function runTracesThread(): void {
  const port = parentPort
  if (!port) return
  const run = workerData as TracedRun
  goLast()
  const tell = (message: FromThread): void => port.postMessage(message)
  const asked = new Map<number, (attributes: EndedSpan['attributes']) => void>()
  let questions = 0
  const follower = new Follower({
    ...run,
    history: createHistory({ dir: run.layout.journal, readOnly: true }),
    tail: createTail(run.layout.journal),
    clock: systemClock,
    environment: process.env,
    log: {
      debug: (_, message) => tell({ type: 'log', level: 'debug', message }),
      warn: (_, message) => tell({ type: 'log', level: 'warn', message }),
    },
    sent: note => tell({ type: 'sent', note }),
    clean: attributes =>
      new Promise(resolve => {
        const id = questions++
        asked.set(id, resolve)
        tell({ type: 'raw', id, attributes })
      }),
  })
  port.on('message', (message: ToThread) => {
    if (message.type === 'more') follower.readOn()
    if (message.type === 'close') void follower.close(message.lastSeq).then(() => tell({ type: 'closed' }))
    if (message.type !== 'clean') return
    asked.get(message.id)?.(message.attributes)
    asked.delete(message.id)
  })
}

const lowPriority = 10

/** The run itself goes first. On Linux a thread has a priority of its own; elsewhere it stays as it is. */
function goLast(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), lowPriority)
  } catch {
    // Then both are alike.
  }
}
