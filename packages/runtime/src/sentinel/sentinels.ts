import type { EventData, SentinelState } from '@weave/protocol'
import { type AttachedSentinel, loadPatterns, type PatternCompiler } from '../hank/index.ts'
import { type Refused, type Result, within } from '../kit/index.ts'
import type { ResolvedModel } from '../models/index.ts'
import { attach, type CodonSentinels } from './attach.ts'
import { keptConversation } from './conversation.ts'
import type { ObservedCodon, SentinelEventType } from './events.ts'
import { type Account, createHealthChecks, emptyAccount } from './model-calls.ts'
import { type Emit, Observer } from './observer.ts'
import type { SentinelsOptions } from './options.ts'
import { createOutputFiles } from './outputs.ts'
import { makeReady, type ReadySentinel } from './ready-sentinel.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import { createWork } from './work.ts'

/** A codon that begins, with its id in the hank beside its runtime id. */
export interface StartingCodon extends ObservedCodon {
  readonly codonId: string
}

/** One that the codon cannot do without is not there. `sentinelRefs`: the files, or the ids of those without one. */
interface Missing {
  readonly sentinelRefs: readonly string[]
  readonly message: string
}

interface Failed {
  readonly attached: AttachedSentinel
  readonly message: string
}

/** The sentinels of one execution. */
export class Sentinels {
  readonly #options: SentinelsOptions
  readonly #sandbox: Sandbox
  readonly #health: ReturnType<typeof createHealthChecks>
  readonly #closing = new AbortController()
  #compile: Promise<PatternCompiler> | undefined

  constructor(options: SentinelsOptions) {
    this.#options = options
    this.#sandbox = createSandbox(options.sandboxEntry, options.clock)
    this.#health = createHealthChecks(options, this.#closing.signal)
  }

  /**
   * Asks each model once whether it answers, in the background. Call it when the server starts. Resolves when the hank may
   * begin: at once, or with `waitForAllHealthChecks` when every check is over. Never rejects.
   */
  async startHealthChecks(): Promise<void> {
    const { attachments, settings } = this.#options
    this.#health.start()
    // The first template should not wait for the interpreter.
    if (attachments.length > 0) void this.#sandbox.run({ kind: 'render', code: '0' })
    if (settings.waitForAllHealthChecks) await this.#health.all()
  }

  /** Gets the sentinels of a codon going. Waits for health checks as the settings say. Never rejects. */
  async load(codon: StartingCodon): Promise<Result<{ readonly attached: CodonSentinels }, Missing>> {
    const { attachments, clock, record } = this.#options
    const mine = attachments.filter(({ codonId }) => codonId === codon.codonId)
    let current: CodonSentinels | undefined
    const changed = () => quietly(() => current && record(codon.id, current.states()))
    const prepared = await Promise.all(mine.map(attached => this.#prepare(attached)))
    const opened = await Promise.all(prepared.map(one => this.#open(one, codon, changed)))
    const failed = opened.flatMap(one => ('message' in one ? [one] : []))
    const required = failed.filter(({ attached }) => attached.settings.failCodonIfNotLoaded === true)
    if (required.length > 0) return refusal(required)
    const loaded = opened.flatMap(one => ('message' in one ? [] : [one]))
    const observers = loaded.map(({ observer }) => observer)
    for (const { attached, message } of failed)
      this.#warn(`Sentinel ${attached.config.id} (${codon.id}) is not loaded: ${message}.`)
    const attached = attach(observers, failed.map(notLoaded), clock)
    for (const { begin } of loaded) begin()
    current = attached
    if (mine.length > 0) changed()
    return { ok: true, attached }
  }

  /** Ends what is in the background. Call it after the last codon is finished. Never rejects. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#sandbox.close()
  }

  async #prepare(attached: AttachedSentinel): Promise<ReadySentinel | Failed> {
    const { agentRoot } = this.#options.places
    const ready = await makeReady(attached, { ...this.#options, agentRoot, sandbox: this.#sandbox })
    if (!ready.ok) return { attached, message: ready.message }
    for (const warning of ready.warnings) this.#warn(`Sentinel ${attached.config.id}: ${warning}`)
    const fault = await this.#healthFault(ready.sentinel.model)
    return fault === undefined ? ready.sentinel : { attached, message: fault }
  }

  /** Why a model cannot be used; undefined when it is well, or when nobody knows yet. */
  async #healthFault(model: ResolvedModel): Promise<string | undefined> {
    const { settings, clock } = this.#options
    const check = this.#health.of(model)
    if (settings.waitForAllHealthChecks) await this.#health.all()
    const health = settings.waitForAllHealthChecks
      ? await check
      : await within(
          { clock, ms: settings.healthCheckGracePeriodMs },
          () => check,
          () => undefined,
        )
    if (!health || health.ok) return undefined
    return `the health check of ${model.provider}/${model.id} failed: ${health.message}`
  }

  async #open(sentinel: ReadySentinel | Failed, codon: StartingCodon, changed: () => void) {
    if ('message' in sentinel) return sentinel
    this.#compile ??= loadPatterns()
    const opened = await openObserver(
      sentinel,
      {
        ...this.#options,
        codon,
        persists: this.#options.settings.enablePersistence,
        compile: await this.#compile,
        append: (...event) => quietly(() => this.#options.append(...event)),
        warn: message => this.#warn(message),
        changed,
      },
      this.#health.takeCharge(sentinel.model),
    )
    return opened.ok ? opened : { attached: sentinel.attached, message: opened.message }
  }

  #warn(message: string): void {
    quietly(() => this.#options.warn(message))
  }
}

/** A sentinel must never be the reason why something else stops. */
function quietly(action: () => void): void {
  try {
    action()
  } catch {
    return
  }
}

function refusal(required: readonly Failed[]): Refused<Missing> {
  const names = required.map(({ attached, message }) => `${attached.config.id}: ${message}`)
  return {
    ok: false,
    sentinelRefs: required.map(({ attached }) => attached.sourcePath ?? attached.config.id),
    message: `A sentinel that this codon needs is not loaded. ${names.join('; ')}.`,
  }
}

function notLoaded({ attached }: Failed): SentinelState {
  return {
    sentinelId: attached.config.id,
    status: 'failed',
    cost: 0,
    tokens: { input: 0, output: 0 },
    llmCallCount: 0,
    triggerCount: 0,
  }
}

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
async function openObserver(
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
