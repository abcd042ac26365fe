import { loadPatterns, type PatternCompiler, type SentinelConfig, type SentinelFile } from '../hank/index.ts'
import type { Clock, Redactor, Result } from '../kit/index.ts'
import type { ResolvedModel } from '../models/index.ts'
import type { Batch } from './event-batch.ts'
import { type CodonRun, followsFromSentinel, type ObservedEvent } from './events.ts'
import type { Access, Account, Call } from './model-calls.ts'
import { makeReady, type ReadySentinel } from './ready-sentinel.ts'
import { createSandbox, type SandboxEntry } from './sandbox.ts'
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

export interface RecordedTrigger {
  readonly at: Date
  readonly batch: Batch
}

/** What a sentinel would have done. */
export interface Trial extends RecordedTrigger {
  readonly number: number
  /** As the model would see them; absent when they cannot be filled in. */
  readonly userPrompt?: string
  readonly systemPrompt?: string
  /** What the model said, if it was asked. */
  readonly said?: Said
  readonly charge?: Account
  readonly problem?: string
}

export interface WorkbenchOptions {
  readonly sentinel: SentinelFile
  readonly hankDir: string
  readonly agentRoot: string
  readonly modelOf: (name: string) => ResolvedModel | undefined
  readonly accessTo: (model: ResolvedModel) => Access
  /** Without it nobody is asked. */
  readonly call?: Call | undefined
  readonly clock: Clock
  readonly redactor: Redactor
  readonly sandboxEntry: SandboxEntry
  readonly signal: AbortSignal
}

export type Workbench = Result<{
  /** Tries the sentinel on what happened in a codon, one trigger after the other. Writes nothing. */
  tryOn(run: CodonRun): AsyncGenerator<Trial>
  close(): Promise<void>
}>

/** A place to try a sentinel on what was recorded, with or without asking its model. Never rejects. */
export async function openWorkbench(options: WorkbenchOptions): Promise<Workbench> {
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
    ...(user.ok && { userPrompt: user.text }),
    ...(system?.ok && { systemPrompt: system.text }),
    ...(failed?.ok === false && { problem: failed.message }),
  }
}

async function answerTo(work: Work, { batch }: RecordedTrigger, { signal }: WorkbenchOptions) {
  let said: Said | undefined
  const worked = await work(batch, {
    signal,
    said: output => {
      said = output
    },
  })
  const { charge } = worked
  return { charge, ...(said && { said }), ...(!worked.ok && { problem: worked.message }) }
}
