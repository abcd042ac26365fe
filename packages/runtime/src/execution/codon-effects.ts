import type { JournaledEvent } from '@weave/protocol'
import {
  copyOutputs,
  openRigRecord,
  performArchive,
  planArchive,
  type RigOutcome,
  runRig,
} from '../effects/index.ts'
import type { Harness, HarnessSurroundings } from '../harness/index.ts'
import type { Journal, Origin } from '../journal/index.ts'
import { type Clock, createId, type Marker, type Redactor } from '../kit/index.ts'
import { costOf, type Prices } from '../models/index.ts'
import type { Plan, PlannedModel, Step } from '../plan/index.ts'
import {
  codonPrompt,
  type EffectResult,
  type Ports,
  type Recorder,
  type RigResult,
  type Surroundings,
} from '../runner/index.ts'
import { codonEnvironment, throughProxy } from '../settings/index.ts'
import { emptySelection, type WorkspaceWatch, watchWorkspace } from '../tree/index.ts'
import { type ExecutionLayout, openSessionLog, sessionLog } from '../workspace/index.ts'
import { type CheckpointPorts, emittedCheckpoints, openCheckpointPorts } from './checkpoint-effects.ts'
import type { KeptOutputRecord } from './output-record.ts'
import { tightenAgents } from './private-agents.ts'
import { copySource } from './rig-effects.ts'
import { openRollbackRecord } from './rollback-record.ts'
import { openSentinelPorts, type SentinelPorts, type SentinelSetup } from './sentinel-effects.ts'

export interface PortsOptions {
  readonly plan: Plan
  readonly layout: ExecutionLayout
  readonly journal: Journal
  readonly recorder: Recorder
  readonly serverId: string
  /** Called before everything that is written; throws when the execution is no longer ours to write to. */
  readonly assertHeld: () => void
  /** Told of each process group of a rig; what it returns takes that back. */
  readonly own: (group: number) => () => void
  readonly clock: Clock
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly harnessFor: (model: PlannedModel) => Harness
  /** Prices of a model that is not in the plan. */
  readonly priceOf: (provider: string, modelId: string) => Prices | undefined
  /** Has the last word on the environment of a codon. */
  readonly environmentFor?:
    | ((
        runtimeId: string,
        env: Readonly<Record<string, string>>,
        way: { readonly provider: string; readonly proxyUrl: string | undefined },
      ) => Readonly<Record<string, string>>)
    | undefined
  /** Where the agents of the SDK harness find the provider, when the proxy runs. */
  readonly proxyUrl: () => string | undefined
  readonly redactor: Redactor
  readonly sentinels: SentinelSetup
  readonly outputDirectory: string
  readonly overwriteOutput: boolean
  readonly ignoreRigFailures: boolean
  readonly outputRecord: KeptOutputRecord
  readonly runId: () => string
}

export type ExecutionPorts = Ports &
  Pick<CheckpointPorts, 'differsFrom' | 'tidy' | 'close'> &
  Pick<SentinelPorts, 'startHealthChecks'>

export type OpenedPorts =
  | { readonly ok: true; readonly ports: ExecutionPorts }
  | { readonly ok: false; readonly message: string; readonly cure: string }

/** What the runner needs from the rooms around it, put together for one execution. */
export async function openPorts(options: PortsOptions): Promise<OpenedPorts> {
  const { journal, recorder } = options
  const versions = await openCheckpointPorts({
    ...options,
    state: () => recorder.state,
    warn: message => void tellWarning(journal, message),
  })
  if (!versions.ok) return versions
  return { ok: true, ports: await portsWith(options, versions.ports, openSentinelPorts(options)) }
}

async function portsWith(
  options: PortsOptions,
  versions: CheckpointPorts,
  sentinels: SentinelPorts,
): Promise<ExecutionPorts> {
  const { plan, layout, harnessFor } = options
  const watch = await startWatch(options, { isWritten: sentinels.isWritten, now: versions.fileTime })
  // Of this server alone: whoever holds the execution next has agents in the same directory.
  const marker: Marker = `WEAVE_SERVER_ID=${options.serverId}`
  return {
    ...versions,
    ...emittedCheckpoints(versions, watch),
    ...sentinels,
    rollbackIntent: openRollbackRecord(layout, options.assertHeld),
    harnessFor,
    surroundingsOf: step => surroundingsOf(step, { marker, options }),
    sessionLog: step =>
      openSessionLog({
        path: sessionLog(layout, options.runId(), step.runtimeId),
        redactor: options.redactor,
        assertHeld: options.assertHeld,
        onFailure: message => void tellWarning(options.journal, message),
      }),
    costOf: (model, tokens, modelId) => {
      const cost = costOf(tokens, pricesOf(model, modelId, options.priceOf))
      return cost.known ? cost.dollars : undefined
    },
    promptOf: step => codonPrompt(plan, step.codon, layout.agentRoot),
    runRig: (step, surroundings) => rig(step, { ...surroundings, marker: ownMarker(), options }),
    copyOutputs: (step, surroundings) => outputs(step, { ...surroundings, marker: ownMarker(), options }),
    afterCodon: async (_step, completed) => {
      await tightenAgents(layout)
      const trouble = await options.outputRecord.settle(completed)
      if (trouble !== undefined) tellWarning(options.journal, trouble)
    },
    archive: (owner, patterns, step) => archive({ owner, patterns, codonId: step.runtimeId }, options),
    close: async () => {
      await sentinels.close()
      await watch.close()
      await versions.close()
      await tightenAgents(layout)
    },
  }
}

/** For the commands of one phase: the sweep after them must not end an agent that is being made ready. */
function ownMarker(): Marker {
  return `WEAVE_RIG_ID=${createId('rig')}`
}

function surroundingsOf(
  { runtimeId, codon }: Step,
  { marker, options }: { readonly marker: Marker; readonly options: PortsOptions },
): HarnessSurroundings {
  const { layout, environment, environmentFor, serverId, proxyUrl } = options
  const env = codonEnvironment({
    environment,
    codon: codon.env,
    markers: { WEAVE_EXECUTION_ID: layout.dir, WEAVE_CODON_ID: runtimeId, WEAVE_SERVER_ID: serverId },
  })
  const { provider } = codon.model
  const lent = environmentFor?.(runtimeId, env, { provider, proxyUrl: proxyUrl() }) ?? env
  return {
    codonId: runtimeId,
    model: codon.model.id,
    provider,
    cwd: layout.agentRoot,
    env: codon.model.harness === 'sdk' ? throughProxy(lent, proxyUrl()) : lent,
    marker,
    home: layout.agents,
    autoCompact: codon.autoCompact,
  }
}

/** Providers name a model with its date, too, and agents use small models of their own beside the one they were given. */
function pricesOf(
  model: PlannedModel,
  modelId: string | undefined,
  priceOf: PortsOptions['priceOf'],
): Prices | undefined {
  const isPlanned = modelId === undefined || modelId === model.id || modelId.startsWith(`${model.id}-`)
  return isPlanned ? model.prices : priceOf(model.provider, modelId)
}

async function startWatch(
  { layout, journal, clock }: PortsOptions,
  { isWritten, now }: Pick<SentinelPorts, 'isWritten'> & { readonly now: () => number },
): Promise<WorkspaceWatch> {
  const originOf = (path: string): Origin | undefined => (isWritten(path) ? 'sentinel' : undefined)
  /** Why files came or went since the tree was told. */
  const moved: (Origin | undefined)[] = []
  return watchWorkspace({
    agentRoot: layout.agentRoot,
    selection: emptySelection,
    clock,
    now,
    onChange(update) {
      const origin = originOf(update.path)
      if (update.action !== 'modified') moved.push(origin)
      journal.append('file.updated', update, { origin })
    },
    onTree(tree) {
      // A wider selection makes a new tree, too, without a file that came or went.
      const isOfSentinels = moved.length > 0 && moved.every(origin => origin !== undefined)
      moved.length = 0
      journal.append('filetree.updated', { tree }, { origin: isOfSentinels ? 'sentinel' : undefined })
    },
    onNote: ({ message }) => void tellWarning(journal, message),
  })
}

interface Effect extends Surroundings {
  readonly marker: Marker
  readonly options: PortsOptions
}

async function rig(step: Step, { signal, env, marker, onOutput, options }: Effect): Promise<RigResult> {
  const { plan, layout, clock, ignoreRigFailures } = options
  if (step.codon.rig.length === 0) return { ok: true }
  const record = await openRigRecord(layout, step.runtimeId)
  const result = await runRig({
    operations: step.codon.rig,
    layout,
    resolveSource: from => copySource(plan.hankDir, from, step.codon.id),
    onPut: record.add,
    ignoreFailures: ignoreRigFailures,
    env,
    marker,
    own: options.own,
    signal,
    clock,
    onOutput: ({ operation, stream, text }) => onOutput(operation, stream, text),
  }).finally(record.close)
  tellTolerated(step, result, options.journal)
  const lastCopy = result.operations.findLast(each => each.type === 'copy' && each.outcome === 'succeeded')
  if (result.ok) return { ok: true, ...(lastCopy?.type === 'copy' && { lastCopied: lastCopy.to }) }
  if (result.kind === 'stopped') return { ok: false, message: 'The rig was stopped.', retriable: true }
  const isCommand = step.codon.rig[result.operation]?.type === 'command'
  return {
    ok: false,
    message: `Rig operation ${result.operation + 1} failed: ${result.message}`,
    retriable: isCommand,
    ...(result.exit && { exit: result.exit }),
  }
}

/** A failure that the hank, or whoever started it, allows is told all the same. */
function tellTolerated({ runtimeId }: Step, result: RigOutcome, journal: Journal): void {
  const last = result.ok ? undefined : result.operation
  for (const [at, each] of result.operations.entries()) {
    if (each.outcome !== 'failed' || at === last) continue
    const exit = 'exit' in each && each.exit ? { exit: each.exit } : {}
    journal.append('error', {
      message: `Rig operation ${at + 1} of ${runtimeId} failed and is passed over: ${each.message}`,
      codon: runtimeId,
      fatal: false,
      severity: 'operation',
      context: { operation: at, type: each.type, ...exit },
    })
  }
}

async function outputs(
  step: Step,
  {
    signal,
    env,
    marker,
    onOutput,
    lastCopied,
    options,
  }: Effect & { readonly lastCopied?: string | undefined },
): Promise<EffectResult> {
  if (step.codon.outputFiles.length === 0) return { ok: true, files: [] }
  const { layout, clock, outputDirectory, overwriteOutput, outputRecord, journal } = options
  const result = await copyOutputs({
    entries: step.codon.outputFiles,
    agentRoot: layout.agentRoot,
    outputDirectory,
    overwrite: overwriteOutput,
    lastCopied,
    env,
    marker,
    own: options.own,
    signal,
    clock,
    record: outputRecord.of({ runId: options.runId(), codonId: step.runtimeId }),
    settledByCaller: true,
    onOutput: ({ command, stream, text }) => onOutput(command, stream, text),
  })
  if (!result.ok) {
    outputRecord.clear()
    return { ok: false, message: 'message' in result ? result.message : 'Output copying was stopped.' }
  }
  for (const warning of result.warnings) tellWarning(journal, warning, step.runtimeId)
  for (const { from, to } of result.copied)
    if (from !== to)
      tellWarning(
        journal,
        `output files: ${from} is taken in ${outputDirectory}; the new one is ${to}`,
        step.runtimeId,
      )
  const files = result.copied.map(({ to }) => to)
  if (files.length > 0)
    journal.append('info', { message: `Copied ${files.length} output files to ${outputDirectory}.` })
  return { ok: true, files }
}

async function archive(
  {
    owner,
    patterns,
    codonId,
  }: { readonly owner: string; readonly patterns: readonly string[]; readonly codonId: string },
  { layout, clock, runId, journal, assertHeld }: PortsOptions,
): Promise<EffectResult> {
  assertHeld()
  const planned = await planArchive(layout, { owner, patterns, codonId, runId: runId(), clock })
  if (!planned.ok)
    return { ok: false, message: 'message' in planned ? planned.message : 'Archiving was stopped.' }
  for (const warning of planned.warnings) tellWarning(journal, warning, codonId)
  const done = await performArchive(layout, planned.plan)
  return done.ok ? { ok: true, files: done.moved.map(({ from }) => from) } : done
}

function tellWarning(journal: Journal, message: string, codon?: string): JournaledEvent {
  const about = codon === undefined ? {} : { codon }
  return journal.append('error', { message, ...about, fatal: false, severity: 'warning' })
}
