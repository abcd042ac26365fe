import { loadPatterns, type PatternCompiler, type SentinelConfig, type SentinelFile } from '../hank/index.ts'
import type { Result } from '../kit/index.ts'
import type { Batch } from './event-batch.ts'
import { type CodonRun, followsFromSentinel, type ObservedEvent } from './events.ts'
import type { Account } from './model-calls.ts'
import type { Access, SentinelsOptions } from './options.ts'
import { makeReady, type ReadySentinel } from './ready-sentinel.ts'
import { createSandbox } from './sandbox.ts'
import { createStrategy } from './strategy.ts'
import { createTrigger } from './trigger.ts'
import { createWork, type Said, type Work } from './work.ts'

/** When a sentinel would go to work on recorded events, and on which. Time is what the events say. Pure. */
export function triggersOn(
  events: readonly ObservedEvent[],
  config: Pick<SentinelConfig, 'trigger' | 'execution'>,
  compile: PatternCompiler,
): readonly RecordedTrigger[] {
  const trigger = createTrigger(config.trigger, compile)
  const strategy = createStrategy(config.execution)
  const triggers: RecordedTrigger[] = []
  const keep = (batch: Batch | undefined, time: number) => {
    if (batch) triggers.push({ at: new Date(time), batch })
  }
  let now = 0
  for (const event of events) {
    now = Math.max(now, Date.parse(event.timestamp))
    const due = strategy.dueAt
    if (due !== undefined && due <= now) keep(strategy.take(), due)
    const isWanted = trigger.wants(event.type) && !followsFromSentinel(event)
    const fired = isWanted ? trigger.feed(event) : undefined
    if (fired) keep(strategy.add(fired, now), now)
  }
  keep(strategy.take(), now)
  return triggers
}

interface RecordedTrigger {
  readonly at: Date
  readonly batch: Batch
}

/** What a sentinel would have done. */
export interface Trial extends RecordedTrigger {
  readonly number: number
  /** As the model would see them; absent when they cannot be filled in. */
  readonly userPrompt?: string | undefined
  readonly systemPrompt?: string | undefined
  /** What the model said, if it was asked. */
  readonly said?: Said | undefined
  readonly charge?: Account
  readonly problem?: string | undefined
}

type Given = 'hankDir' | 'modelOf' | 'accessTo' | 'clock' | 'redactor' | 'sandboxEntry'

export interface WorkbenchOptions extends Pick<SentinelsOptions, Given> {
  readonly sentinel: SentinelFile
  readonly agentRoot: string
  /** Without it nobody is asked. */
  readonly call?: SentinelsOptions['call'] | undefined
  readonly signal: AbortSignal
}

interface Workbench {
  /** Tries the sentinel on what happened in a codon, one trigger after the other. Writes nothing. */
  tryOn(run: CodonRun): AsyncGenerator<Trial>
  close(): Promise<void>
}

/** A place to try a sentinel on what was recorded, with or without asking its model. Never rejects. */
export async function openWorkbench(options: WorkbenchOptions): Promise<Result<Workbench>> {
  const sandbox = createSandbox(options.sandboxEntry, options.clock)
  const attached = { ...options.sentinel, codon: '', codonId: '', settings: {} }
  const accessTo = options.call ? options.accessTo : () => nowhere
  const ready = await makeReady(attached, { ...options, accessTo, sandbox })
  if (!ready.ok) {
    await sandbox.close()
    return { ok: false, message: ready.message }
  }
  const compile = await loadPatterns()
  const { sentinel } = ready
  return {
    ok: true,
    close: () => sandbox.close(),
    async *tryOn({ codon, events }) {
      const { call } = options
      const work = call && createWork({ ...options, call, sentinel, codon, turns: [] })
      const triggers = triggersOn(events, sentinel.attached.config, compile)
      for (const [index, trigger] of triggers.entries()) {
        if (options.signal.aborted) return
        const prompts = await promptsOf(sentinel, { batch: trigger.batch, codon, now: trigger.at })
        const answer = work && prompts.problem === undefined ? await answerTo(work, trigger, options) : {}
        yield { ...trigger, number: index + 1, ...prompts, ...answer }
      }
    },
  }
}

const nowhere: Access = { ok: true, key: '', api: '' }

async function promptsOf(
  { userPrompt, systemPrompt }: ReadySentinel,
  data: Parameters<ReadySentinel['userPrompt']['render']>[0],
) {
  const user = await userPrompt.render(data)
  const system = await systemPrompt?.render(data)
  const failed = [user, system].find(result => result?.ok === false)
  return {
    userPrompt: user.ok ? user.text : undefined,
    systemPrompt: system?.ok ? system.text : undefined,
    problem: failed?.ok === false ? failed.message : undefined,
  }
}

async function answerTo(work: Work, { batch }: RecordedTrigger, { signal }: WorkbenchOptions) {
  let said: Said | undefined
  const worked = await work(batch, signal, output => {
    said = output
  })
  return { charge: worked.charge, said, problem: worked.ok ? undefined : worked.message }
}
