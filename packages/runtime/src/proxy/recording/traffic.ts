import type { Redactor } from '../../kit/index.ts'
import type { Observe, OutgoingRequest, Transport } from '../transport.ts'
import { createExchangeRecorder } from './exchange-recorder.ts'
import { localWords } from './normalised-request.ts'
import type { CodonMark } from './recording-files.ts'
import { createReplayTransport, type Replay } from './replay.ts'

export interface RecordSetup {
  /** A claimed one. */
  readonly directory: string
  /** Called once, when the disk refuses; the run goes on without the recording. */
  readonly onFailure: (message: string) => void
}

/** What is done with the traffic of a run besides passing it through; at most one of both. */
export interface TrafficSetup {
  /** Every exchange is written down. */
  readonly record?: RecordSetup | undefined
  /** Answers in place of the upstream. */
  readonly replay?: Replay | undefined
}

export interface TrafficOptions extends TrafficSetup {
  /** Of the execution: different in every run, so no part of a recording. */
  readonly executionDir: string
  readonly redactor: Redactor
  readonly codon: () => CodonMark
}

export interface Traffic {
  /** The same observer, and the recorder besides if there is one. */
  observedBy(observe: Observe): Observe
  readonly transport?: Transport
  readonly around?: (transport: Transport) => Transport
  /** Why a replay has refused a request of this codon; told once. */
  refusalOf(codonId: string): Promise<string> | undefined
  /** Never rejects. */
  close(): Promise<void>
}

export function openTraffic(options: TrafficOptions): Traffic {
  const { record, replay, executionDir, redactor, codon } = options
  const words = localWords(executionDir)
  const recorder = record && createExchangeRecorder({ ...record, redactor, words, codon })
  return {
    observedBy: observe => (recorder ? observeBoth(observe, recorder.observe) : observe),
    ...(recorder && { around: readableAnswers }),
    ...(replay && {
      transport: createReplayTransport({
        ...replay,
        clean: text => redactor.text(words.hide(text)),
        show: words.show,
        codon,
      }),
    }),
    refusalOf: codonId => replay?.refusals.take(codonId),
    async close() {
      await recorder?.close()
    },
  }
}

/** The same transport, asking only for content codings that can be decoded here. */
function readableAnswers(transport: Transport): Transport {
  return { ...transport, send: (request, handler) => transport.send(withReadable(request), handler) }
}

/** As `decodedBody` knows them. */
const known = /^(?:gzip|x-gzip|deflate|br|identity)\s*(?:;|$)/i

function withReadable(request: OutgoingRequest): OutgoingRequest {
  const headers = request.headers.map(header => {
    if (header.key !== 'accept-encoding') return header
    const codings = header.value.split(',').map(coding => coding.trim())
    const kept = codings.filter(coding => known.test(coding))
    return { ...header, value: kept.length > 0 ? kept.join(', ') : 'identity' }
  })
  return { ...request, headers }
}

/** Both observe every exchange. */
function observeBoth(first: Observe, second: Observe): Observe {
  return (request, incoming) => {
    const observers = [first(request, incoming), second(request, incoming)].filter(each => each !== undefined)
    return {
      head(head) {
        for (const observer of observers) observer.head?.(head)
      },
      data(bytes) {
        for (const observer of observers) observer.data?.(bytes)
      },
      end(ending) {
        for (const observer of observers) observer.end(ending)
      },
    }
  }
}
