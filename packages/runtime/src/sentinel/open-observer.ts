import type { EventData } from '@weave/protocol'
import type { PatternCompiler } from '../hank/index.ts'
import type { Clock, Redactor, Result } from '../kit/index.ts'
import { type KeptConversation, keptConversation } from './conversation.ts'
import { isReported, type ObservedCodon, type SentinelEventType } from './events.ts'
import { type Account, type Call, emptyAccount } from './model-calls.ts'
import { type Emit, Observer } from './observer.ts'
import { createOutputFiles, type SentinelPlaces } from './outputs.ts'
import type { ReadySentinel } from './ready-sentinel.ts'
import { createWork } from './work.ts'

/** Journals an event; with `broadcast: false` no client hears of it. */
export type AppendEvent = <T extends SentinelEventType>(
  type: T,
  data: EventData<T>,
  options: { readonly broadcast: boolean },
) => void

/** What the observers of a codon share. None of the functions throws. */
export interface ObserverSurroundings {
  readonly codon: ObservedCodon
  readonly places: SentinelPlaces
  readonly persists: boolean
  readonly compile: PatternCompiler
  readonly call: Call
  readonly clock: Clock
  readonly redactor: Redactor
  readonly append: AppendEvent
  readonly warn: (message: string) => void
  readonly changed: () => void
}

export type OpenedObserver = Result<{
  readonly observer: Observer
  /** Emits that it is loaded; call it when its codon knows it. */
  begin(): void
}>

/** Puts a sentinel to a codon. `charge`: what it has cost already. Never rejects. */
export async function openObserver(
  sentinel: ReadySentinel,
  around: ObserverSurroundings,
  charge: Account = emptyAccount,
): Promise<OpenedObserver> {
  const { codon, places, persists } = around
  const { config } = sentinel.attached
  const files = createOutputFiles(sentinel.attached, codon.id, places)
  if (!files.ok) return files
  const kept = persists && config.conversational ? keptConversation(config.id, codon.id, places) : undefined
  const turns = (await kept?.read()) ?? []
  const isDamaged = turns === 'damaged'
  if (isDamaged && !config.errorHandling.unloadOnFatalError) await startAnew(kept, around, config.id)
  const work = createWork({
    ...around,
    sentinel,
    keep: persists ? files.files.write : undefined,
    turns: isDamaged ? [] : turns,
    keepTurns: kept?.write,
  })
  const emit = emitterOf(sentinel, around)
  const warn = (message: string) => around.warn(`Sentinel ${config.id} (${codon.id}): ${message}.`)
  const observer = new Observer({ ...around, config, work, emit, warn, spent: charge })
  const begin = () => {
    emit('sentinel.loaded', loadedData(sentinel))
    if (isDamaged && config.errorHandling.unloadOnFatalError) {
      warn('its conversation on disk is damaged')
      observer.giveUp('corruption')
    }
  }
  return { ok: true, observer, begin }
}

async function startAnew(
  kept: KeptConversation | undefined,
  { warn, codon }: ObserverSurroundings,
  sentinelId: string,
): Promise<void> {
  await kept?.setAside()
  warn(`Sentinel ${sentinelId} (${codon.id}): its conversation on disk was damaged; it begins anew.`)
}

function emitterOf({ attached }: ReadySentinel, { append, codon }: ObserverSurroundings): Emit {
  const ids = { sentinelId: attached.config.id, codonId: codon.id }
  return <T extends SentinelEventType>(type: T, data: Omit<EventData<T>, keyof typeof ids>) =>
    append(type, { ...ids, ...data } as EventData<T>, { broadcast: isReported(type, attached) })
}

function loadedData({ attached, model }: ReadySentinel) {
  const { config, sourcePath } = attached
  return {
    model: model.id,
    triggerType: config.trigger.type,
    executionStrategy: config.execution.strategy,
    conversational: config.conversational !== undefined,
    source: sourcePath === undefined ? ('inline' as const) : ('file' as const),
    ...(sourcePath !== undefined && { sourcePath }),
  }
}
