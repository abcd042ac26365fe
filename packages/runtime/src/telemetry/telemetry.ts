import { randomBytes } from 'node:crypto'
import { appendFile, stat, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { JournaledEvent } from '@weave/protocol'
import { ensureDir } from '../files/index.ts'
import { type Clock, inTime, type Redactor, within } from '../kit/index.ts'
import { type FailureType, type PayloadFacts, type TelemetryPayload, telemetryPayload } from './payload.ts'

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
  /** Waits up to a second for requests under way, then aborts them. */
  close(): Promise<void>
}

/** Milliseconds. */
const longestSending = 3_000
const longestGoodbye = 1_000

/** Does nothing when telemetry is off, and when there is neither an endpoint nor `debug`. */
export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { settings, facts, clock } = options
  if (!settings.enabled || (settings.endpoint === undefined && !settings.debug)) return silent
  const session = randomBytes(8).toString('hex')
  const began = clock.monotonic()
  const closing = new AbortController()
  const underWay = new Set<Promise<void>>()

  const emit = (payload: TelemetryPayload): void => {
    const checked = telemetryPayload.safeParse(options.redactor.json(payload))
    if (!checked.success) return
    const work = deliver(JSON.stringify(checked.data), options, closing.signal).catch(() => undefined)
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
    started: () => emit({ event: 'run-started', ...common() }),
    ended(status, usage) {
      const seconds = Math.round((clock.monotonic() - began) / 1000)
      emit({ event: 'run-ended', ...common(), status, seconds, ...usage })
    },
    async close() {
      if (underWay.size > 0) await inTime(Promise.all(underWay), { clock, ms: longestGoodbye })
      closing.abort()
    },
  }
}

const silent: Telemetry = {
  started: () => undefined,
  ended: () => undefined,
  close: async () => undefined,
}

/** To the console and the file when asked to, and to the address when there is one. */
async function deliver(text: string, options: TelemetryOptions, signal: AbortSignal): Promise<void> {
  const { settings, clock, debugFile, print } = options
  const { endpoint, debug } = settings
  if (debug) {
    print(`telemetry${endpoint === undefined ? ' (not sent: there is no telemetry.endpoint)' : ''}: ${text}`)
    await appendDebugLine(debugFile, text).catch(() => print(`telemetry: ${debugFile} cannot be written`))
  }
  if (endpoint === undefined) return
  await within(
    { clock, ms: longestSending, signal },
    limit => postJson(endpoint, text, limit),
    () => undefined,
  )
}

/** A file that is larger begins anew. */
const largest = 4 << 20

/** Adds a line, for the owner's eyes only. Rejects with the system's error. */
async function appendDebugLine(file: string, line: string): Promise<void> {
  await ensureDir(dirname(file))
  const size = await stat(file).then(
    found => found.size,
    () => 0,
  )
  if (size > largest) await truncate(file)
  await appendFile(file, `${line}\n`, { mode: 0o600 })
}

/** Sends a text that is JSON. Resolves when the other side has answered, whatever it said; rejects when it has not. */
async function postJson(address: string, body: string, signal: AbortSignal): Promise<void> {
  const { request } = address.startsWith('https:') ? await import('node:https') : await import('node:http')
  await new Promise<void>((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    // A connection of its own, closed at once: nothing is left that could hold up the end of the program.
    const sent = request(address, { method: 'POST', headers, agent: false, signal }, response => {
      response.resume()
      response.on('error', reject)
      response.on('end', resolve)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Numbers of a run, counted from its events. */
interface UsageCount {
  readonly codonsEnded: number
  readonly retries: number
  readonly rollbacks: number
  readonly budgetStops: number
  readonly failures: Readonly<Partial<Record<FailureType, number>>>
}

/** Takes each event once. Keeps numbers only; an event that it does not count costs one comparison. */
export function createUsageCount() {
  const failures: Partial<Record<FailureType, number>> = {}
  const counts = { codonsEnded: 0, retries: 0, rollbacks: 0, budgetStops: 0 }
  return {
    add({ type, data }: JournaledEvent): void {
      if (type === 'codon.retrying') counts.retries++
      if (type === 'rollback.completed') counts.rollbacks++
      if (type === 'budget.exceeded') counts.budgetStops++
      if (type !== 'codon.completed') return
      counts.codonsEnded++
      if (data.success) return
      const failure = data.failureReason?.type ?? 'unknown'
      failures[failure] = (failures[failure] ?? 0) + 1
    },
    read: (): UsageCount => ({ ...counts, failures: { ...failures } }),
  }
}
