import type { Receiver, Sending } from '../transport.ts'

/** What is told to the receiver, one thing after the other. */
export type Step = (receiver: Receiver) => void

export interface Playback {
  readonly sending: Sending
  play(steps: readonly Step[]): void
}

export function createPlayback(receiver: Receiver): Playback {
  const waiting: Step[] = []
  let isPaused = false
  let isAborted = false
  const go = (): void => {
    while (!isPaused && !isAborted) {
      const step = waiting.shift()
      if (!step) return
      step(receiver)
    }
  }
  return {
    sending: {
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
