import { join } from 'node:path'
import type { Journal, Replayed } from '../journal/index.ts'
import { type Redactor, type Scope, systemClock } from '../kit/index.ts'
import type { Plan, PlannedCodon } from '../plan/index.ts'
import type { Runner } from '../runner/index.ts'
import type { ResolvedSettings } from '../settings/index.ts'
import { createTelemetry, createUsageCount, type PayloadFacts } from '../telemetry/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import { recordSettings } from './settings-record.ts'

/** The resolved settings, recorded for reports, and what telemetry needs besides. */
export interface Told {
  readonly settings: ResolvedSettings
  readonly telemetry: {
    readonly home: string
    /** A line to the console, for those who want to see what is said. Must not throw. */
    readonly print: (line: string) => void
  }
}

export interface TelemetryStart {
  readonly told?: Told | undefined
  readonly layout: ExecutionLayout
  readonly plan: Plan
  readonly journal: Journal
  readonly redactor: Redactor
  /** As it was before this start. */
  readonly replayed: Pick<Replayed, 'state'>
  readonly scope: Scope
  readonly weaveVersion: string
  readonly rehearsal: boolean
}

/**
 * Writes the settings down and lets telemetry follow the run, which goes on meanwhile and depends on neither. Does not
 * reject; at the end of the scope it waits a moment for what is under way.
 */
export async function startTelemetry(runner: Pick<Runner, 'done'>, options: TelemetryStart): Promise<void> {
  const { told, layout, redactor, journal, scope } = options
  if (!told) return
  await recordSettings(layout, told.settings, redactor)
  const settings = told.settings.settings.telemetry
  if (!settings.enabled) return
  const count = createUsageCount()
  const telemetry = createTelemetry({
    settings,
    facts: factsOf(options),
    clock: systemClock,
    redactor,
    debugFile: join(told.telemetry.home, '.weave', 'telemetry-debug.jsonl'),
    print: told.telemetry.print,
  })
  scope.add('telemetry', () => telemetry.close())
  journal.subscribe(({ event }) => count.add(event))
  telemetry.started()
  void runner.done.then(({ status }) => telemetry.ended(status, count.read()))
}

function factsOf({ plan, weaveVersion, rehearsal, replayed }: TelemetryStart): PayloadFacts {
  const codons = plan.items.flatMap(item => (item.kind === 'loop' ? item.codons : [item]))
  return {
    weaveVersion,
    node: process.versions.node.split('.').slice(0, 2).join('.'),
    platform: oneOf(['linux', 'darwin', 'win32'], process.platform),
    arch: oneOf(['x64', 'arm64'], process.arch),
    isRehearsal: rehearsal,
    isResumed: replayed.state.runs.length > 0,
    codons: codons.length,
    loops: plan.items.filter(({ kind }) => kind === 'loop').length,
    sentinels: plan.sentinels?.length ?? 0,
    harnesses: distinct(codons, ({ model }) => model.harness),
    providers: distinct(codons, ({ model }) =>
      oneOf(['anthropic', 'openai', 'google', 'openrouter'], model.provider),
    ),
  }
}

function oneOf<Word extends string>(words: readonly Word[], word: string): Word | 'other' {
  return words.find(each => each === word) ?? 'other'
}

function distinct<Word>(codons: readonly PlannedCodon[], of: (codon: PlannedCodon) => Word): Word[] {
  return [...new Set(codons.map(of))]
}
