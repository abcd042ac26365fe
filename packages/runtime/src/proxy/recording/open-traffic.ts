import type { Redactor } from '../../kit/index.ts'
import type { Observe } from '../exchange-observer.ts'
import type { Transport } from '../transport.ts'
import type { CodonMark } from './codon-mark.ts'
import { createExchangeRecorder } from './exchange-recorder.ts'
import { localWords } from './local-words.ts'
import { observeBoth } from './observe-both.ts'
import type { Replay } from './open-replay.ts'
import { readableAnswers } from './readable-answers.ts'
import { createReplayTransport } from './replay-transport.ts'

export interface RecordSetup {
  /** A claimed one. */
  readonly directory: string
  /** Told once, when the disk refuses; the run goes on without the recording. */
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
