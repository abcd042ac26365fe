import { resolve } from 'node:path'
import {
  type ArchiveRequest,
  copyOutputs,
  openRigRecord,
  performArchive,
  planArchive,
  type RigOperationResult,
  type RigOutcome,
  runRig,
} from '../effects/index.ts'
import type { Journal } from '../journal/index.ts'
import { type Clock, createId, type Marker } from '../kit/index.ts'
import type { Plan, PlannedCodonAt } from '../plan/index.ts'
import type { CodonEffects, EffectResult, RigResult, Surroundings } from '../runner/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import { type Activities, type ActivityStep, during } from './activity.ts'
import { tightenAgents } from './agent-effects.ts'
import type { KeptOutputRecord } from './intents.ts'
import { copySource } from './rig-effects.ts'

export interface CodonEffectsOptions {
  readonly plan: Plan
  readonly layout: ExecutionLayout
  readonly journal: Journal
  readonly clock: Clock
  /** Called before everything that is written; throws when the execution is no longer ours to write to. */
  readonly assertHeld: () => void
  /** Told of each process group of a rig; what it returns takes that back. */
  readonly own: (group: number) => () => void
  readonly outputDirectory: string
  readonly overwriteOutput: boolean
  readonly ignoreRigFailures: boolean
  readonly outputRecord: KeptOutputRecord
  readonly runId: () => string
  /** Hears of what takes long. */
  readonly activities: Activities
  readonly warn: (message: string, codonId?: string) => void
}

export function createCodonEffects(options: CodonEffectsOptions): CodonEffects {
  return {
    runRig: (at, surroundings) => rig(at, surroundings, options),
    copyOutputs: (at, surroundings) => {
      const step = { phase: 'outputs', codonId: at.runtimeId, text: 'copying outputs' } as const
      return during(options.activities, step, () => outputs(at, surroundings, options))
    },
    archive: (owner, patterns, at) => archive({ owner, patterns, codonId: at.runtimeId }, options),
    async afterCodon(_step, completed) {
      await tightenAgents(options.layout)
      const trouble = await options.outputRecord.settle(completed)
      if (trouble !== undefined) options.warn(trouble)
    },
  }
}

/** For the commands of one phase: the sweep after them must not end an agent that is being made ready. */
function ownMarker(): Marker {
  return `WEAVE_RIG_ID=${createId('rig')}`
}

async function rig(
  at: PlannedCodonAt,
  { signal, env, onOutput }: Surroundings,
  options: CodonEffectsOptions,
): Promise<RigResult> {
  const { plan, layout, clock, ignoreRigFailures } = options
  if (at.codon.rig.length === 0) return { ok: true }
  const record = await openRigRecord(layout, at.runtimeId)
  const activity = options.activities.begin(operationStep(at, 0))
  const result = await runRig({
    operations: at.codon.rig,
    onBegin: index => activity.update(operationStep(at, index)),
    onEnd: (index, result) => tellEnded(at, { index, result }, options.journal),
    layout,
    resolveSource: from => copySource(plan.hankDir, from, at.codon.id),
    onPut: record.add,
    ignoreFailures: ignoreRigFailures,
    env,
    marker: ownMarker(),
    own: options.own,
    signal,
    clock,
    onOutput: ({ operation, stream, text }) => onOutput(operation, stream, text),
  }).finally(() => {
    activity.end()
    record.close()
  })
  tellTolerated(at, result, options.journal)
  const lastCopy = result.operations.findLast(each => each.type === 'copy' && each.outcome === 'succeeded')
  if (result.ok) return { ok: true, ...(lastCopy?.type === 'copy' && { lastCopied: lastCopy.to }) }
  if (result.kind === 'stopped') return { ok: false, message: 'The rig was stopped.', retriable: true }
  const isCommand = at.codon.rig[result.operation]?.type === 'command'
  return {
    ok: false,
    message: `Rig operation ${result.operation + 1} failed: ${result.message}`,
    retriable: isCommand,
    ...(result.exit && { exit: result.exit }),
  }
}

function tellEnded(
  { runtimeId: codonId }: PlannedCodonAt,
  { index: operation, result }: { readonly index: number; readonly result: RigOperationResult },
  journal: Journal,
): void {
  const { type, outcome, durationMs } = result
  const exit = result.type === 'command' ? result.exit : undefined
  const code = exit?.type === 'success' ? 0 : exit?.type === 'error' ? exit.code : undefined
  journal.append('rig.operation', {
    codonId,
    operation,
    type,
    ok: outcome === 'succeeded',
    durationMs: Math.round(durationMs),
    ...(code !== undefined && { exitCode: code }),
  })
}

/** `rig 2 of 3: npm ci`. */
function operationStep(
  { codon: { rig: operations }, runtimeId }: PlannedCodonAt,
  index: number,
): ActivityStep {
  const operation = operations[index]
  const what = operation?.type === 'copy' ? `copy ${operation.copy.from}` : operation?.command.run
  const text = `rig ${index + 1} of ${operations.length}: ${what ?? ''}`
  return { phase: 'rig', codonId: runtimeId, text, done: index, total: operations.length }
}

/** A failure that the hank or a flag tolerates is emitted all the same. */
function tellTolerated({ runtimeId }: PlannedCodonAt, result: RigOutcome, journal: Journal): void {
  const last = result.ok ? undefined : result.operation
  for (const [operation, each] of result.operations.entries()) {
    if (each.outcome !== 'failed' || operation === last) continue
    const exit = 'exit' in each && each.exit ? { exit: each.exit } : {}
    journal.append('error', {
      message: `Rig operation ${operation + 1} of ${runtimeId} failed and is passed over: ${each.message}`,
      codon: runtimeId,
      fatal: false,
      severity: 'operation',
      context: { operation, type: each.type, ...exit },
    })
  }
}

async function outputs(
  at: PlannedCodonAt,
  { signal, env, onOutput, lastCopied }: Surroundings & { readonly lastCopied?: string | undefined },
  options: CodonEffectsOptions,
): Promise<EffectResult> {
  if (at.codon.outputFiles.length === 0) return { ok: true, files: [] }
  const { layout, clock, outputDirectory, overwriteOutput, outputRecord, journal, warn } = options
  const result = await copyOutputs({
    entries: at.codon.outputFiles,
    agentRoot: layout.agentRoot,
    outputDirectory,
    overwrite: overwriteOutput,
    lastCopied,
    env,
    marker: ownMarker(),
    own: options.own,
    signal,
    clock,
    record: outputRecord.of({ runId: options.runId(), codonId: at.runtimeId }),
    settledByCaller: true,
    onOutput: ({ command, stream, text }) => onOutput(command, stream, text),
  })
  if (!result.ok) {
    outputRecord.clear()
    return { ok: false, message: 'message' in result ? result.message : 'Output copying was stopped.' }
  }
  for (const warning of result.warnings) warn(warning, at.runtimeId)
  for (const { from, to } of result.copied)
    if (from !== to)
      warn(`output files: ${from} is taken in ${outputDirectory}; the new one is ${to}`, at.runtimeId)
  const files = result.copied.map(({ to }) => to)
  if (files.length > 0) {
    const count = files.length === 1 ? '1 output file' : `${files.length} output files`
    journal.append('info', { message: `Copied ${count} to ${outputDirectory}.` })
    journal.append('outputs.copied', { codonId: at.runtimeId, directory: resolve(outputDirectory), files })
  }
  return { ok: true, files }
}

async function archive(
  { owner, patterns, codonId }: Pick<ArchiveRequest, 'owner' | 'patterns' | 'codonId'>,
  { layout, clock, runId, assertHeld, warn }: CodonEffectsOptions,
): Promise<EffectResult> {
  assertHeld()
  const planned = await planArchive(layout, { owner, patterns, codonId, runId: runId(), clock })
  if (!planned.ok)
    return { ok: false, message: 'message' in planned ? planned.message : 'Archiving was stopped.' }
  for (const warning of planned.warnings) warn(warning, codonId)
  const done = await performArchive(layout, planned.plan)
  return done.ok ? { ok: true, files: done.moved.map(({ from }) => from) } : done
}
