import { basename } from 'node:path'
import {
  type AttachedSentinel,
  type Codon,
  effectiveModel,
  type HankFile,
  type HankItem,
  isLoop,
  type Loop,
} from '../hank/index.ts'
import type { Ceilings } from '../settings/index.ts'
import type {
  Plan,
  PlannedCeilings,
  PlannedCodon,
  PlannedGate,
  PlannedItem,
  PlannedLoop,
  PlannedModel,
  PlannedServer,
  PlannedText,
} from './plan.ts'

export interface PlanSource {
  readonly hank: HankFile
  /** The hank file, absolute. */
  readonly path: string
  readonly directory: string
}

export interface PlanOptions {
  /** What a model's name means; undefined for an unknown one. */
  readonly modelOf: (name: string) => PlannedModel | undefined
  /** Replaces the model of every codon. */
  readonly modelOverride?: string | undefined
  /** From `weave.json`, the environment or a flag; a codon's own value wins. */
  readonly shimIdleTimeout?: number | undefined
  /** Read and checked with the hank. */
  readonly sentinels?: readonly AttachedSentinel[]
  /** The tightest for the whole run, from wherever they come. */
  readonly ceilings?: Ceilings
  /** Checked against the hank. */
  readonly gates?: readonly PlannedGate[]
}

/** Seconds of silence that end a session when nobody says otherwise. */
const silence = { sdk: 180, embedded: 120, acp: 180 } as const

/** Turns a checked hank into a plan. Pure. */
export function buildPlan({ hank, path, directory }: PlanSource, options: PlanOptions): Plan {
  const global = plannedText(hank.globalSystemPromptFile, hank.globalSystemPromptText)
  const codon = (each: Codon) => {
    const name = effectiveModel(each, hank, options.modelOverride) ?? ''
    return plannedCodon(each, plannedModel(name, options.modelOf(name)), options.shimIdleTimeout)
  }
  const item = (each: HankItem): PlannedItem => (isLoop(each) ? plannedLoop(each, codon) : codon(each))
  const budget = hank.overrides?.budget
  const ceilings = options.ceilings && plannedCeilings(options.ceilings)
  return {
    hankName: hank.meta?.name ?? basename(path, '.json'),
    hankDir: directory,
    ...(global && { globalSystemPrompt: global }),
    items: hank.hank.map(item),
    ...(options.sentinels && options.sentinels.length > 0 && { sentinels: options.sentinels }),
    ...(budget && { budget }),
    ...(ceilings && Object.keys(ceilings).length > 0 && { ceilings }),
    ...withGates(options.gates),
  }
}

/** What of gates is in a plan: a program that does not know them must not run it. */
export function withGates(gates: readonly PlannedGate[] = []): Pick<Plan, 'gates' | 'needs'> {
  return gates.length === 0 ? {} : { gates, needs: ['gates'] }
}

/** They are no part of the hank: they are checked against it. */
export function withServers(plan: Plan, mcpServers: readonly PlannedServer[]): Plan {
  return mcpServers.length === 0 ? plan : { ...plan, mcpServers }
}

/** Without those that are the hank's own: they are its `budget`. */
function plannedCeilings({ maxDollars, maxTimeSeconds }: Ceilings): PlannedCeilings {
  const own = 'hank overrides'
  return {
    ...(maxDollars && maxDollars.origin !== own && { maxDollars }),
    ...(maxTimeSeconds && maxTimeSeconds.origin !== own && { maxTimeSeconds }),
  }
}

function plannedLoop(loop: Loop, planned: (codon: Codon) => PlannedCodon): PlannedLoop {
  const { id, name, description, terminateOn, budget } = loop
  return {
    kind: 'loop',
    id,
    name,
    ...(description !== undefined && { description }),
    limit: terminateOn.type === 'iterationLimit' ? terminateOn.limit : null,
    codons: loop.codons.map(planned),
    archiveOnSuccess: loop.archiveOnSuccess ?? [],
    ...(budget && { budget }),
  }
}

/** In a hank with mistakes the model may be one that nobody knows: it is planned by its name, without a price. */
function plannedModel(name: string, known: PlannedModel | undefined): PlannedModel {
  if (!known) return { id: name, provider: '', harness: 'embedded', identity: name }
  const { id, provider, harness, agent, identity, contextWindow, maxOutputTokens, prices } = known
  const { dialect, reasoning, compat, thinking } = known
  return {
    id,
    provider,
    harness,
    ...(agent !== undefined && { agent }),
    identity,
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(dialect !== undefined && { dialect }),
    ...(reasoning !== undefined && { reasoning }),
    ...(compat && { compat }),
    ...(thinking !== undefined && { thinking }),
    ...(prices && { prices }),
  }
}

function plannedCodon(codon: Codon, model: PlannedModel, shimIdleTimeout: number | undefined): PlannedCodon {
  const { id, name, description, exhaustWithPrompt, budget, retryConfig } = codon
  const append = plannedText(codon.appendSystemPromptFile, codon.appendSystemPromptText)
  return {
    kind: 'codon',
    id,
    name,
    ...(description !== undefined && { description }),
    model,
    continuation: codon.continuationMode,
    prompt: plannedText(codon.promptFile, codon.promptText) ?? { text: '' },
    ...(append && { appendSystemPrompt: append }),
    ...(exhaustWithPrompt !== undefined && { exhaustWithPrompt }),
    maxExtensions: codon.maxExtensions ?? 100,
    autoCompact: codon.autoCompact ?? false,
    idleTimeoutMs: 1_000 * (codon.shimIdleTimeout ?? shimIdleTimeout ?? silence[model.harness]),
    rig: codon.rigSetup ?? [],
    checkpointedFiles: codon.checkpointedFiles ?? [],
    env: codon.env ?? {},
    outputFiles: codon.outputFiles ?? [],
    archiveOnSuccess: codon.archiveOnSuccess ?? [],
    onFailure: codon.onFailure ?? 'abort',
    retry: {
      maxAttempts: retryConfig?.maxAttempts ?? 3,
      delayMs: retryConfig?.delayMs ?? 1_000,
      maxDelayMs: retryConfig?.maxDelayMs ?? 60_000,
    },
    ...(budget && { budget }),
  }
}

/** Files win over a text. */
function plannedText(
  file: string | readonly string[] | undefined,
  text: string | undefined,
): PlannedText | undefined {
  if (file !== undefined) return { files: typeof file === 'string' ? [file] : file }
  return text === undefined ? undefined : { text }
}
