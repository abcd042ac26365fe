import { STATUS_CODES } from 'node:http'
import type { OutgoingRequest, ResponseHandler, RunningRequest, Transport } from '../transport.ts'
import { createExchangeMatcher, type ExchangeMatcher } from './exchange-matcher.ts'
import { type Clean, normalisedRequest } from './normalised-request.ts'
import { type Recording, readRecording } from './read-recording.ts'
import type { CodonMark, RecordedExchange } from './recording-files.ts'

export interface ReplayTransportOptions {
  readonly recording: Recording
  readonly matcher: ExchangeMatcher
  readonly refusals: Refusals
  /** As for the requests that were recorded. */
  readonly clean: Clean
  /** From what was kept to what is true here. */
  readonly show: (text: string) => string
  readonly codon: () => CodonMark
}

/** Answers with what was recorded. Has no way to the outside: what was not recorded is refused. */
export function createReplayTransport(options: ReplayTransportOptions): Transport {
  const { matcher, refusals, clean, codon } = options
  return {
    send(request, handler) {
      const playback = createPlayback(handler)
      const { codonId } = codon()
      const refused = refusals.of(codonId)
      const match = refused
        ? { ok: false as const, explain: () => refused }
        : matcher.take(codonId, normalisedRequest(request, clean))
      const steps = match.ok
        ? answerSteps(match.exchange, request, options)
        : refusals.add(codonId, match.explain()).then(refusalSteps)
      steps.then(playback.play, (error: unknown) =>
        playback.play([
          waiting => waiting.fail(error instanceof Error ? error : new Error('the recording cannot be read')),
        ]),
      )
      return playback.running
    },
    close: () => undefined,
  }
}

/** An exchange that broke off breaks off again; where the recorded caller left, nothing more is sent until this one leaves. */
async function answerSteps(
  { status, headers, body, ending }: RecordedExchange,
  { method }: OutgoingRequest,
  { recording, show }: ReplayTransportOptions,
): Promise<readonly Step[]> {
  const bytes = body === undefined ? undefined : await recording.bodies.get(body)
  if (body !== undefined && !bytes) throw new Error('the body is gone from the recording')
  const isBodiless = method === 'HEAD' || status === 204 || status === 304
  const steps: Step[] = []
  if (status !== undefined) steps.push(headStep(status, headers))
  if (bytes && !isBodiless) steps.push(handler => handler.data(shown(bytes, show)))
  if (ending === 'complete') steps.push(handler => handler.end())
  else if (ending !== 'caller-left')
    steps.push(handler => handler.fail(new Error('the exchange was broken off when it was recorded')))
  return steps
}

function headStep(status: number, headers: Readonly<Record<string, string>>): Step {
  const list = Object.entries(headers).map(([name, value]) => ({ name, key: name, value }))
  const reason = STATUS_CODES[status] ?? ''
  return handler => handler.head({ status, reason, headers: list })
}

function shown(bytes: Buffer, show: (text: string) => string): Buffer {
  // One character for each byte, so that bytes which are no text stay what they are.
  const text = bytes.toString('latin1')
  const quoted = (kept: string): string => {
    const word = show(kept)
    return word === kept ? kept : Buffer.from(JSON.stringify(word).slice(1, -1)).toString('latin1')
  }
  const after = text.replace(/\{\{weave:[a-z-]+\}\}/g, quoted)
  return after === text ? bytes : Buffer.from(after, 'latin1')
}

/** An error that every SDK takes for one of its own and does not retry. */
function refusalSteps(message: string): readonly Step[] {
  const error = { type: 'invalid_request_error', code: 400, status: 'INVALID_ARGUMENT', message }
  const body = Buffer.from(JSON.stringify({ type: 'error', error }))
  return [
    headStep(400, { 'content-type': 'application/json', 'x-should-retry': 'false' }),
    handler => handler.data(body),
    handler => handler.end(),
  ]
}

/** What was asked in a replay and is not in the recording. For a codon the first one counts: what comes after it follows from it. */
export interface Refusals {
  /** The one that stands against a codon. */
  of(codonId: string | undefined): Promise<string> | undefined
  add(codonId: string | undefined, message: Promise<string>): Promise<string>
  /** The same, and it stands against the codon no more: it has failed by it. */
  take(codonId: string | undefined): Promise<string> | undefined
  /** All that there were. */
  all(): Promise<readonly string[]>
}

function createRefusals(): Refusals {
  const standing = new Map<string | undefined, Promise<string>>()
  const all: Promise<string>[] = []
  return {
    of: codonId => standing.get(codonId),
    add(codonId, message) {
      const first = standing.get(codonId)
      if (first) return first
      standing.set(codonId, message)
      all.push(message)
      return message
    },
    take(codonId) {
      const message = standing.get(codonId)
      standing.delete(codonId)
      return message
    },
    all: () => Promise.all(all),
  }
}

/** One call of the handler; they are made in order. */
type Step = (handler: ResponseHandler) => void

interface Playback {
  readonly running: RunningRequest
  play(steps: readonly Step[]): void
}

function createPlayback(handler: ResponseHandler): Playback {
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

/** A recording that answers, and what became of it. */
export interface Replay {
  readonly recording: Recording
  readonly matcher: ExchangeMatcher
  readonly refusals: Refusals
}

type OpenedReplay =
  | { readonly ok: true; readonly replay: Replay }
  | { readonly ok: false; readonly message: string }

/** Never rejects. */
export async function openReplay(directory: string): Promise<OpenedReplay> {
  const read = await readRecording(directory)
  if (!read.ok) return read
  const { recording } = read
  const matcher = createExchangeMatcher(recording)
  return { ok: true, replay: { recording, matcher, refusals: createRefusals() } }
}
