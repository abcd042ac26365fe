import type { Harness } from '../harness/index.ts'
import type { Clock } from '../kit/index.ts'
import type { openSessionLog, SentPrompt } from '../workspace/index.ts'

type Log = ReturnType<typeof openSessionLog>

export interface RecordedPromptsOptions {
  readonly clock: Clock
  /** Opens the log of a codon, by its runtime id. */
  readonly open: (runtimeId: string) => Log
}

/** The same agent, and every prompt it gets is written down before it gets it. */
export function recordPrompts(harness: Harness, { clock, open }: RecordedPromptsOptions): Harness {
  return {
    ...harness,
    async *start(spec, signal) {
      const log = open(spec.codonId)
      const write = (sent: Omit<SentPrompt, 'time'>): void =>
        log.write({ time: clock.now().toISOString(), ...sent })
      const { prompt, systemPrompt } = spec
      write({ extension: 0, prompt, ...(systemPrompt !== undefined && { systemPrompt }) })
      let extension = 0
      const nextPrompt = (): string | undefined => {
        const next = spec.nextPrompt()
        if (next !== undefined) write({ extension: ++extension, prompt: next })
        return next
      }
      try {
        yield* harness.start({ ...spec, nextPrompt }, signal)
      } finally {
        await log.close()
      }
    },
  }
}
