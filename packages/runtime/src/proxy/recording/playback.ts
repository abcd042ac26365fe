import type { ResponseHandler, RunningRequest } from '../transport.ts'

/** What is told to the handler, one thing after the other. */
export type Step = (handler: ResponseHandler) => void

export interface Playback {
  readonly running: RunningRequest
  play(steps: readonly Step[]): void
}

export function createPlayback(handler: ResponseHandler): Playback {
  const waiting: Step[] = []
  let isPaused = false
  let isAborted = false
  const go = (): void => {
    while (!isPaused && !isAborted) {
      const step = waiting.shift()
      if (!step) return
      step(handler)
    }
  }
  return {
    running: {
      pause() {
        isPaused = true
      },
      resume() {
        isPaused = false
        go()
      },
      abort() {
        isAborted = true
      },
    },
    play(steps) {
      waiting.push(...steps)
      go()
    },
  }
}
