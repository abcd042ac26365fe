import { resolve } from 'node:path'
import { claimRecording, type OpenRehearsal, type Plan, plannedCodons } from '@weave/runtime'
import { harmlessLine } from 'weave-client'
import { version } from '../program.ts'

export interface TrafficWish {
  /** The directory after `--record`. */
  readonly record: string | undefined
  readonly rehearsal: OpenRehearsal | undefined
}

export type ReadyTraffic =
  | {
      readonly ok: true
      readonly record?: string
      readonly warnings: readonly string[]
      /** What can run; absent: all of it. */
      readonly plan?: Plan
    }
  | { readonly ok: false; readonly message: string }

/** Before anything starts: whose traffic can be recorded or replayed, and where it is written. */
export async function readyTraffic({ record, rehearsal }: TrafficWish, plan: Plan): Promise<ReadyTraffic> {
  if (rehearsal?.replay) return readyReplay(rehearsal.replay.recording.unrecorded, plan)
  if (record === undefined) return { ok: true, warnings: [] }
  const directory = resolve(record)
  const unrecorded = rehearsal ? [] : codonsPastProxy(plan)
  const claimed = await claimRecording(directory, { weaveVersion: version, unrecorded })
  if (!claimed.ok) return { ok: false, message: `${claimed.message}\n${claimed.cure}` }
  const left = [...named('codon', unrecorded), ...named('sentinel', sentinelsOf(plan))]
  const warning = `Not recorded, because it does not go through the proxy: ${left.join(', ')}.`
  return { ok: true, record: directory, warnings: left.length > 0 ? [harmlessLine(warning)] : [] }
}

function readyReplay(unrecorded: readonly string[], plan: Plan): ReadyTraffic {
  const codons = plannedCodons(plan).map(({ id }) => id)
  const left = named(
    'codon',
    codons.filter(id => unrecorded.includes(id)),
  )
  if (left.length > 0) {
    const message = `The hank cannot be replayed: nothing is recorded of ${left.join(', ')}.`
    return { ok: false, message: harmlessLine(message) }
  }
  const observers = named('sentinel', sentinelsOf(plan))
  if (observers.length === 0) return { ok: true, warnings: [] }
  // They change nothing of what agents do, so the rest can be repeated without them.
  const warning = `Left out of the replay, because nothing is recorded of it: ${observers.join(', ')}.`
  return { ok: true, warnings: [harmlessLine(warning)], plan: { ...plan, sentinels: [] } }
}

/** Only agents of the vendor's SDK ask the proxy in a real run. */
function codonsPastProxy(plan: Plan): readonly string[] {
  return plannedCodons(plan).flatMap(({ id, model }) => (model.harness === 'sdk' ? [] : [id]))
}

/** They go past the proxy in every run. */
function sentinelsOf({ sentinels = [] }: Plan): readonly string[] {
  return [...new Set(sentinels.map(({ config }) => config.id))]
}

function named(kind: string, ids: readonly string[]): readonly string[] {
  return ids.map(id => `${kind} ${id}`)
}
