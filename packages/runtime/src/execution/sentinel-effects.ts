import { dirname } from 'node:path'
import type { JournaledEvent, SentinelState } from '@weave/protocol'
import { isTemporary } from '../files/index.ts'
import type { Journal } from '../journal/index.ts'
import type { Clock, Redactor } from '../kit/index.ts'
import { complete } from '../llm/index.ts'
import type { ResolvedModel } from '../models/index.ts'
import type { Plan } from '../plan/index.ts'
import type { Recorder, SentinelEffects, SentinelWatch } from '../runner/index.ts'
import {
  accessFrom,
  isReported,
  type SandboxEntry,
  type SentinelEventType,
  type SentinelSettings,
  Sentinels,
  workspaceOutputs,
} from '../sentinel/index.ts'
import { serverEnvironment } from '../settings/index.ts'
import { type ExecutionLayout, sentinelDirectory } from '../workspace/index.ts'

export interface SentinelEffectsOptions {
  readonly plan: Plan
  readonly layout: ExecutionLayout
  readonly journal: Journal
  readonly recorder: Recorder
  readonly clock: Clock
  readonly redactor: Redactor
  /** Called before everything that is written; throws when the execution is no longer ours to write to. */
  readonly assertHeld: () => void
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly setup: SentinelSetup
}

type Variables = Readonly<Record<string, string | undefined>>

export interface SentinelSetup {
  readonly settings: SentinelSettings
  readonly sandboxEntry: SandboxEntry
  readonly modelOf: (name: string) => ResolvedModel | undefined
  /** The environment in which the provider of a model is reached, made of the server's. */
  readonly reaching?: ((environment: Variables, model: ResolvedModel) => Variables) | undefined
  /** Has the last word on the key of a sentinel. */
  readonly keyFor?: ((sentinelId: string) => string) | undefined
}

export interface OpenedSentinels {
  readonly effects: SentinelEffects
  /** Resolves when the hank may begin. Never rejects. */
  startHealthChecks(): Promise<void>
  /** Whether a file of the agent workspace is one that a sentinel of the current codon writes. */
  isWritten(path: string): boolean
  close(): Promise<void>
}

/** The observers of an execution: subscribed to the journal while their codon runs. */
export function openSentinelEffects(options: SentinelEffectsOptions): OpenedSentinels {
  const { plan, journal, recorder } = options
  const spenders = new Map<string, SentinelWatch['onSpent']>()
  const sentinels = create(options, (codonId, states) => {
    recorder.record({ type: 'SentinelStatesUpdated', data: { codonId, sentinels: states } }, bySentinel)
    const isKnown = states.every(({ costUnknown }) => !costUnknown)
    spenders.get(codonId)?.(
      states.reduce((sum, { cost }) => sum + cost, 0),
      isKnown,
    )
  })
  let written = sentinelFiles([])
  return {
    isWritten: path => written(path),
    startHealthChecks: () => sentinels.startHealthChecks(),
    close: () => sentinels.close(),
    effects: {
      async loadSentinels({ runtimeId, codon }, { startTime, onSpent }) {
        const { id: codonId, name, description } = codon
        const mine = plan.sentinels?.filter(attached => attached.codonId === codonId) ?? []
        // Until the next codon: the last that they write is found when they have gone.
        written = sentinelFiles(mine.flatMap(workspaceOutputs))
        if (mine.length === 0) return nobody
        spenders.set(runtimeId, onSpent)
        const loaded = await sentinels.load({ id: runtimeId, codonId, name, description, startTime })
        if (!loaded.ok) return loaded
        const leave = journal.subscribe(({ event }) => loaded.attached.route(event))
        return {
          ok: true,
          async finish(ending) {
            await loaded.attached.finish(ending)
            leave()
            spenders.delete(runtimeId)
          },
        }
      },
    },
  }
}

/** What people turned off: such events are journaled and sent to no client. */
export function hiddenEvents({ sentinels = [] }: Plan): (event: JournaledEvent) => boolean {
  if (sentinels.length === 0) return () => false
  return event => {
    if (!isSentinelEvent(event)) return false
    const { sentinelId, codonId } = event.data
    const attached = sentinels.find(
      one =>
        one.config.id === sentinelId && (one.codonId === codonId || codonId.startsWith(`${one.codonId}#`)),
    )
    return attached !== undefined && !isReported(event.type, attached)
  }
}

type SentinelEvent = Extract<JournaledEvent, { readonly type: SentinelEventType }>

function isSentinelEvent(event: JournaledEvent): event is SentinelEvent {
  return event.type.startsWith('sentinel.')
}

/** All that sentinels make happen is marked here, where it enters the journal; none of it is routed to them. */
const bySentinel = { origin: 'sentinel' } as const

/** A file that is replaced whole exists beside its own name for a moment. */
function sentinelFiles(paths: readonly string[]): (path: string) => boolean {
  const files = new Set(paths)
  const directories = new Set(paths.map(path => dirname(path)))
  return path => files.has(path) || (isTemporary(path) && directories.has(dirname(path)))
}

const nobody = { ok: true, finish: async () => undefined } as const

type RecordStates = (codonId: string, states: readonly SentinelState[]) => void

function create(options: SentinelEffectsOptions, record: RecordStates): Sentinels {
  const { plan, layout, journal, clock, redactor, environment } = options
  const { settings, sandboxEntry, modelOf, keyFor, reaching } = options.setup
  const variables = serverEnvironment(environment)
  return new Sentinels({
    attachments: plan.sentinels ?? [],
    hankDir: plan.hankDir,
    settings,
    places: {
      agentRoot: layout.agentRoot,
      directoryOf: id => sentinelDirectory(layout, id),
      assertHeld: options.assertHeld,
    },
    modelOf,
    accessTo: (model, sentinelId) => {
      const access = accessFrom(model, reaching?.(variables, model) ?? variables)
      return access.ok && keyFor ? { ...access, key: keyFor(sentinelId) } : access
    },
    call: complete,
    clock,
    redactor,
    sandboxEntry,
    append: (type, data) => void journal.append(type, data, bySentinel),
    record,
    warn: message => void journal.append('error', { message, fatal: false, severity: 'warning' }, bySentinel),
  })
}
