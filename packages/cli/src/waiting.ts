import type { Terminal } from './terminal.ts'

/** Says on stderr what is waited for, again and again, as long as it takes more than a moment. */
export interface Waiting {
  /** What is waited for from now on: `Asking anthropic`. */
  for(what: string): void
  done(): void
}

/** Nobody should wonder for longer whether anything happens. Milliseconds. */
const between = 1_900

export function createWaiting(terminal: Pick<Terminal, 'error'>): Waiting {
  let timer: NodeJS.Timeout | undefined
  const done = (): void => clearInterval(timer)
  return {
    for(what) {
      done()
      let times = 0
      timer = setInterval(() => {
        times++
        terminal.error(`${what} … ${Math.round((times * between) / 1000)} s`)
      }, between)
      timer.unref()
    },
    done,
  }
}
