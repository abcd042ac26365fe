import { fileURLToPath } from 'node:url'
import type { ProcessOptions } from '../../src/kit/index.ts'

export type Program = readonly [command: string, args: readonly string[]]

/** Says `ready` and waits, without the time that node takes to start. */
export const waits: Program = ['sh', ['-c', 'echo ready; exec sleep 30']]

/** For `vi.waitFor`: what must come may take its time on a busy machine. */
export const patience = 10_000

/** Makes node run one of the programs in `fixtures/`. */
export function fixture(name: string, ...args: readonly string[]): Program {
  return [process.execPath, [fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url)), ...args]]
}

/** Records what a process writes to stdout and lets a test wait for a word in it. */
export function outputWatch(): {
  readonly onOutput: NonNullable<ProcessOptions['onOutput']>
  until(pattern: RegExp): Promise<RegExpMatchArray>
} {
  let seen = ''
  const waiting = new Set<() => void>()
  return {
    onOutput(stream, text) {
      if (stream === 'stdout') seen += text
      for (const check of waiting) check()
    },
    until: pattern =>
      new Promise(resolve => {
        const check = () => {
          const match = seen.match(pattern)
          if (!match) return
          waiting.delete(check)
          resolve(match)
        }
        waiting.add(check)
        check()
      }),
  }
}
