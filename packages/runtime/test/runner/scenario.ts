import { join } from 'node:path'
import {
  type Command,
  type CommandInput,
  type CommandType,
  commands,
  type EventData,
  emptyState,
  isLive,
  type JournaledEvent,
} from '@weave/protocol'
import { expect, onTestFinished } from 'vitest'
import { createScriptedHarness, type ScriptStep } from '../../../../test/support/scripted-harness.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { readGateBook } from '../../src/execution/index.ts'
import type { HarnessSpec } from '../../src/harness/index.ts'
import { crashOf, type Journal, openJournal, replay } from '../../src/journal/index.ts'
import { type Clock, createRedactor } from '../../src/kit/index.ts'
import type { Plan } from '../../src/plan/index.ts'
import {
  type BorderPorts,
  createRecorder,
  type Effects,
  type GateEffects,
  type Gating,
  openTimes,
  type Recorder,
  type Runner,
  startRunner,
} from '../../src/runner/index.ts'
import { bareEffects, type FlatEffects, grouped } from './bare-effects.ts'

export interface ScenarioOptions {
  readonly plan: Plan
  /** What the agent does, by runtime id and number of earlier calls for it; nothing said: it says "done". */
  readonly script?: (codonId: string, call: number, turn: number) => readonly ScriptStep[] | undefined
  readonly headless?: boolean
  readonly attended?: boolean
  readonly autostart?: boolean
  readonly effects?: Partial<FlatEffects>
  /** Goes on from the journal that is there, as the next server would. */
  readonly from?: { readonly dir: string }
  /** What the clock says in the beginning. */
  readonly at?: string
  readonly onPrompt?: (prompt: string) => void
  readonly onEvent?: (event: JournaledEvent) => void
  /** What is known of files at gates, and how this start treats gates. */
  readonly gates?: Partial<Gating>
  readonly border?: BorderPorts
  /** Stands between the runner and the journal. */
  readonly wrap?: (journal: Journal) => Journal
}

/** A runner with a scripted agent, a clock moved by hand and a real journal. Checks the invariants when the test ends. */
export async function startScenario(options: ScenarioOptions): Promise<Scenario> {
  const scenario = await openScenario(options, options.from?.dir ?? (await tempDir({ inMemory: true })))
  onTestFinished(() => scenario.close())
  return scenario
}

export type Scenario = Awaited<ReturnType<typeof openScenario>>

/** The same in a given directory, for who closes it by himself. */
export async function openScenario(options: ScenarioOptions, dir: string) {
  const clock = createTestClock(options.at)
  const { journal, recorder } = await openRecord(options, { dir, clock })
  const events: JournaledEvent[] = []
  const waiting: { readonly wants: (event: JournaledEvent) => boolean; readonly resolve: () => void }[] = []
  journal.subscribe(({ event }) => {
    events.push(event)
    for (const each of waiting.filter(({ wants }) => wants(event))) each.resolve()
    options.onEvent?.(event)
  })
  const specs: HarnessSpec[] = []
  const effects = fakeEffects(options, specs)
  const { plan, headless = true, attended = false, autostart = true } = options
  const times = await openTimes(journal, plan)
  const runner = startRunner({
    plan,
    journal,
    recorder,
    effects,
    clock,
    times,
    headless,
    attended,
    autostart,
    border: options.border,
    gates: await gatingOf(options, journal),
  })
  const close = createClose({ dir, journal, recorder, runner, events })
  let commandNumber = 0

  return {
    dir,
    clock,
    journal,
    events,
    specs,
    runner,
    recorder,
    close,
    types: () =>
      events
        .filter(event => event.type !== 'state.transition' && event.type !== 'state.snapshot')
        .map(event => event.type),
    codons: () => (recorder.state.runs.at(-1)?.codons ?? []).map(codon => `${codon.codonId}:${codon.status}`),
    /** What was told of one type. */
    told<T extends JournaledEvent['type']>(type: T): readonly EventData<T>[] {
      return events.flatMap(event => (event.type === type ? [event.data as EventData<T>] : []))
    },
    /** Resolves when the server is idle for this reason, or was so more than `earlier` times. */
    async untilIdle(reason: EventData<'server.idle'>['reason'], earlier = 0): Promise<void> {
      const fits = (event: JournaledEvent) => event.type === 'server.idle' && event.data.reason === reason
      if (events.filter(fits).length > earlier) return
      await new Promise<void>(resolve => waiting.push({ wants: fits, resolve }))
    },
    /** Sends a command as a client would. */
    send<T extends CommandType>(type: T, data: CommandInput<T> = {} as CommandInput<T>) {
      const parsed = commands[type].data.parse(data)
      return runner.submit({ id: `c${++commandNumber}`, type, data: parsed } as Command)
    },
    /** Resolves when an event of this type is told, or was told after `after` events. */
    until(
      type: JournaledEvent['type'],
      wants: (event: JournaledEvent) => boolean = () => true,
      after = 0,
    ): Promise<void> {
      const fits = (event: JournaledEvent) => event.type === type && wants(event)
      if (events.slice(after).some(fits)) return Promise.resolve()
      return new Promise(resolve => waiting.push({ wants: fits, resolve }))
    },
  }
}

const nothingShown: GateEffects = {
  shown: async () => [],
  changedSince: async () => [],
  keep: async () => ({ ok: true, sha: 'kept' }),
  appendNote: async () => ({ ok: true }),
}

async function gatingOf({ gates }: ScenarioOptions, journal: Journal): Promise<Gating> {
  return { book: await readGateBook(journal.history), effects: nothingShown, ...gates }
}

/** Reads what is there and, as every server does first, says of a run without an end that it crashed. */
async function openRecord(
  { from, wrap = journal => journal }: ScenarioOptions,
  { dir, clock }: { readonly dir: string; readonly clock: Clock },
) {
  const redactor = createRedactor([])
  const journal = wrap(await openJournal({ dir: join(dir, 'journal'), clock, redactor }))
  if (!from) return { journal, recorder: createRecorder(journal, redactor, emptyState) }
  const replayed = await replay(journal.history, join(dir, 'state.json'))
  expect(replayed.refused).toEqual([])
  const recorder = createRecorder(journal, redactor, replayed.state)
  const crash = crashOf(replayed.state, clock.now())
  if (crash) recorder.record(crash)
  return { journal, recorder }
}

function fakeEffects({ script, effects, onPrompt }: ScenarioOptions, specs: HarnessSpec[]): Effects {
  const calls = new Map<string, number>()
  let call = 0
  const harness = createScriptedHarness((spec, turn) => {
    onPrompt?.(spec.prompt)
    if (turn === 0) {
      call = calls.get(spec.codonId) ?? 0
      calls.set(spec.codonId, call + 1)
      specs.push(spec)
    }
    return script?.(spec.codonId, call, turn) ?? [{ say: 'done' }]
  })
  return grouped({
    ...bareEffects(harness),
    promptOf: async ({ codon }) => ({
      ok: true,
      prompt: 'text' in codon.prompt ? codon.prompt.text : '',
      ...(codon.exhaustWithPrompt !== undefined && { exhaustWithPrompt: codon.exhaustWithPrompt }),
    }),
    ...effects,
  })
}

interface Closing {
  readonly dir: string
  readonly journal: Journal
  readonly recorder: Recorder
  readonly runner: Runner
  readonly events: readonly JournaledEvent[]
}

/** R2 and R6, after every scenario. */
function createClose({ dir, journal, recorder, runner, events }: Closing) {
  let closed: Promise<void> | undefined
  return (): Promise<void> => {
    closed ??= (async () => {
      runner.shutdown('end of the test')
      await runner.done
      await journal.close()
      const replayed = await replay(journal.history, join(dir, 'state.json'))
      expect(replayed.refused).toEqual([])
      expect(JSON.stringify(replayed.state)).toBe(JSON.stringify(recorder.state))
      for (const run of recorder.state.runs) {
        expect(run.status).not.toBe('running')
        expect(run.codons.filter(isLive)).toEqual([])
      }
      expect(startsWithoutEnd(events)).toEqual([])
    })()
    return closed
  }
}

/** One end per start, never two codons at once. */
function startsWithoutEnd(events: readonly JournaledEvent[]): readonly string[] {
  const open: string[] = []
  for (const event of events) {
    if (event.type !== 'state.transition') continue
    const { transitionType, codonId = '', transition } = event.data
    if (transitionType === 'CodonStarted') {
      expect(open).toEqual([])
      open.push(codonId)
    }
    const to = transition.data['to']
    if (transitionType === 'CodonTransitioned' && (to === 'completed' || to === 'failed' || to === 'skipped'))
      open.pop()
    if (transitionType === 'RunCrashed') open.pop()
  }
  return open
}
