import { randomBytes } from 'node:crypto'
import type { Clock, Redactor } from '../kit/index.ts'
import { appendDebugLine } from './debug-file.ts'
import { type PayloadFacts, type TelemetryPayload, telemetryPayload } from './payload.ts'
import { postJson } from './post-json.ts'
import type { UsageCount } from './usage-count.ts'

export interface TelemetryOptions {
  readonly settings: {
    readonly enabled: boolean
    readonly debug: boolean
    readonly endpoint: string | undefined
  }
  readonly facts: PayloadFacts
  readonly clock: Clock
  /** Nothing in a payload can be a secret; this makes sure. */
  readonly redactor: Redactor
  /** `~/.weave/telemetry-debug.jsonl`. */
  readonly debugFile: string
  /** For `debug`: one line to the console. Must not throw. */
  readonly print: (line: string) => void
}

/** None of these throws or rejects. */
export interface Telemetry {
  started(): void
  ended(status: 'completed' | 'failed' | 'stopped', usage: UsageCount): void
  /** Waits a moment for what is on its way, then gives it up. */
  close(): Promise<void>
}

/** Milliseconds. */
const longestSending = 3_000
const longestGoodbye = 1_000

/** Without leave, or without anybody to tell, it does nothing at all. */
export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { settings, facts, clock } = options
  if (!settings.enabled || (settings.endpoint === undefined && !settings.debug)) return silent
  const session = randomBytes(8).toString('hex')
  const began = clock.monotonic()
  const hurry = new AbortController()
  const underWay = new Set<Promise<void>>()

  const tell = (payload: TelemetryPayload): void => {
    const checked = telemetryPayload.safeParse(options.redactor.json(payload))
    if (!checked.success) return
    const work = spread(JSON.stringify(checked.data), options, hurry.signal).catch(() => undefined)
    underWay.add(work)
    void work.then(() => underWay.delete(work))
  }
  const common = () => ({
    ...facts,
    version: 1 as const,
    session,
    day: clock.now().toISOString().slice(0, 10),
    harnesses: [...facts.harnesses],
    providers: [...facts.providers],
  })
  return {
    started: () => tell({ event: 'run-started', ...common() }),
    ended(status, usage) {
      const seconds = Math.round((clock.monotonic() - began) / 1000)
      tell({ event: 'run-ended', ...common(), status, seconds, ...usage })
    },
    async close() {
      if (underWay.size > 0) await atMost(longestGoodbye, Promise.all(underWay), clock)
      hurry.abort()
    },
  }
}

const silent: Telemetry = {
  started: () => undefined,
  ended: () => undefined,
  close: async () => undefined,
}

/** To the console and the file when asked to, and to the address when there is one. */
async function spread(text: string, options: TelemetryOptions, signal: AbortSignal): Promise<void> {
  const { settings, clock, debugFile, print } = options
  const { endpoint, debug } = settings
  if (debug) {
    print(`telemetry${endpoint === undefined ? ' (not sent: there is no telemetry.endpoint)' : ''}: ${text}`)
    await appendDebugLine(debugFile, text).catch(() => print(`telemetry: ${debugFile} cannot be written`))
  }
  if (endpoint === undefined) return
  const limit = new AbortController()
  const sending = postJson(endpoint, text, AbortSignal.any([signal, limit.signal]))
  await atMost(longestSending, sending, clock).finally(() => limit.abort())
}

/** Resolves or rejects with the work, or resolves when the time is over. */
async function atMost(ms: number, work: Promise<unknown>, clock: Clock): Promise<void> {
  const done = new AbortController()
  const waiting = clock.sleep(ms, done.signal).catch(() => undefined)
  try {
    await Promise.race([work, waiting])
  } finally {
    done.abort()
  }
}
