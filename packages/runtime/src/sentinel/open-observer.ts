import type { EventData } from '@weave/protocol'
import type { PatternCompiler } from '../hank/index.ts'
import type { Result } from '../kit/index.ts'
import { keptConversation } from './conversation.ts'
import type { ObservedCodon, SentinelEventType } from './events.ts'
import { type Account, emptyAccount } from './model-calls.ts'
import { type Emit, Observer } from './observer.ts'
import type { SentinelsOptions } from './options.ts'
import { createOutputFiles } from './outputs.ts'
import type { ReadySentinel } from './ready-sentinel.ts'
import { createWork } from './work.ts'

/** What the observers of a codon share. None of the functions throws. */
interface ObserverSurroundings
  extends Pick<SentinelsOptions, 'places' | 'call' | 'clock' | 'redactor' | 'append' | 'warn'> {
  readonly codon: ObservedCodon
  readonly persists: boolean
  readonly compile: PatternCompiler
  readonly changed: () => void
}

/**
 * Puts a sentinel to a codon. `charge`: what it has cost already. `begin` emits that it is loaded; call it when its codon
 * knows it. Never rejects.
 */
export async function openObserver(
  sentinel: ReadySentinel,
  around: ObserverSurroundings,
  charge: Account = emptyAccount,
): Promise<Result<{ readonly observer: Observer; readonly begin: () => void }>> {
  const { codon, places, persists } = around
  const { config } = sentinel.attached
  const files = createOutputFiles(sentinel.attached, codon.id, places)
  if (!files.ok) return files
  const kept = persists && config.conversational ? keptConversation(config.id, codon.id, places) : undefined
  const read = (await kept?.read()) ?? []
  const turns = read === 'damaged' ? [] : read
  const isBeyondRepair = read === 'damaged' && config.errorHandling.unloadOnFatalError
  const warn = (message: string) => around.warn(`Sentinel ${config.id} (${codon.id}): ${message}.`)
  if (read === 'damaged' && !isBeyondRepair) {
    await kept?.setAside()
    warn('its conversation on disk was damaged; it begins anew')
  }
  const keep = persists ? files.write : undefined
  const work = createWork({ ...around, sentinel, keep, turns, keepTurns: kept?.write })
  const emit = emitterOf(sentinel, around)
  const observer = new Observer({ ...around, config, work, emit, warn, spent: charge })
  const begin = () => {
    emit('sentinel.loaded', loadedData(sentinel))
    if (!isBeyondRepair) return
    warn('its conversation on disk is damaged')
    observer.giveUp('corruption')
  }
  return { ok: true, observer, begin }
}

function emitterOf({ attached }: ReadySentinel, { append, codon }: ObserverSurroundings): Emit {
  const ids = { sentinelId: attached.config.id, codonId: codon.id }
  return <T extends SentinelEventType>(type: T, data: Omit<EventData<T>, keyof typeof ids>) =>
    append(type, { ...ids, ...data } as EventData<T>)
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
