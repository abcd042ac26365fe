import { createExchangeMatcher, type ExchangeMatcher } from './exchange-matcher.ts'
import { type Recording, readRecording } from './read-recording.ts'
import { createRefusals, type Refusals } from './refusals.ts'

/** A recording that answers, and what became of it. */
export interface Replay {
  readonly recording: Recording
  readonly matcher: ExchangeMatcher
  readonly refusals: Refusals
}

export type OpenedReplay =
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
