import type { BudgetBreach, CodonExecution } from '@weave/protocol'
import type { Harness, HarnessEvent } from '../../src/harness/index.ts'
import { createId } from '../../src/kit/index.ts'
import type { Plan } from '../../src/plan/index.ts'
import { type Scenario, type ScenarioOptions, startScenario } from './scenario.ts'
import { createVersions } from './versions.ts'

/** What the agent does next; `hang`: nothing, until it is stopped. */
export type Deed = HarnessEvent | 'hang'

/** By runtime id and number of earlier calls for it. */
export type Deeds = (codonId: string, call: number) => readonly Deed[]

/** An agent that reports what a test says, word for word. */
export function createAgent(
  deeds: Deeds,
  onReport: (event: HarnessEvent) => void = () => undefined,
): Harness {
  const calls = new Map<string, number>()
  return {
    async *start({ codonId }, signal) {
      const call = calls.get(codonId) ?? 0
      calls.set(codonId, call + 1)
      yield { type: 'session', sessionId: createId('ses') }
      for (const deed of deeds(codonId, call)) {
        if (deed === 'hang') await untilAborted(signal)
        if (signal.aborted) break
        if (deed === 'hang') continue
        onReport(deed)
        yield deed
        if (deed.type === 'ended') return
      }
      yield { type: 'ended', end: signal.aborted ? killed : { ok: true } }
    },
  }
}

const killed = {
  ok: false,
  exit: { type: 'killed', signal: 'SIGTERM' },
  reason: { type: 'unknown', retriable: false, message: 'The agent was stopped.' },
} as const

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

interface Amounts {
  readonly dollars?: number
  readonly output?: number
  readonly input?: number
}

export function usage(messageId: string, { dollars, output = 1, input = 1 }: Amounts): HarnessEvent {
  const tokens = { inputTokens: input, outputTokens: output, cacheCreationTokens: 0, cacheReadTokens: 0 }
  return { type: 'usage', messageId, tokens, ...(dollars !== undefined && { dollars }) }
}

/** Messages of so many dollars each. */
export function spends(...dollars: readonly number[]): readonly HarnessEvent[] {
  return dollars.map((each, at) => usage(`m${at}`, { dollars: each }))
}

export function fails(retriable: boolean): HarnessEvent {
  const reason = { type: 'api-error', retriable, message: 'bad luck' } as const
  return { type: 'ended', end: { ok: false, exit: { type: 'error', code: 1 }, reason } }
}

/** A run over a workspace with versions, and what became of the agent's calls. */
export async function budgeted(plan: Plan, deeds: Deeds, more: Partial<ScenarioOptions> = {}) {
  const versions = createVersions()
  const reported: HarnessEvent[] = []
  const harness = createAgent(deeds, event => reported.push(event))
  const run = await startScenario({
    plan,
    ...more,
    effects: { ...versions.effects, harnessFor: () => harness, ...more.effects },
  })
  return { ...versions, run, reported }
}

export const allCodons = ({ recorder }: Scenario): readonly CodonExecution[] =>
  recorder.state.runs.flatMap(({ codons }) => codons)

export function breachOf(codon: CodonExecution | undefined): BudgetBreach | undefined {
  return codon && 'budgetExceeded' in codon ? codon.budgetExceeded : undefined
}

/** The codons whose agent was called, in order. */
export const called = (run: Scenario): readonly string[] =>
  run.told('codon.started').map(({ codonId }) => codonId)
