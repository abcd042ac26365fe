import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyState } from '@weave/protocol'
import { openRuling } from '../packages/runtime/src/execution/ruling.ts'
import { openJournal } from '../packages/runtime/src/journal/index.ts'
import { createRedactor, systemClock } from '../packages/runtime/src/kit/index.ts'
import { createRecorder, startRunner } from '../packages/runtime/src/runner/index.ts'
import type { RuleSetting } from '../packages/runtime/src/settings/index.ts'
import { executionLayout } from '../packages/runtime/src/workspace/index.ts'
import { bareEffects, grouped } from '../packages/runtime/test/runner/bare-effects.ts'
import { codonPlan, planOf } from '../packages/runtime/test/runner/plans.ts'
import { busyAgent, perSecond, type Spent } from './busy-agent.ts'
import { atLeast, type Figure, interleaved } from './measure.ts'

const clock = systemClock
const redactor = createRedactor([{ name: 'ANTHROPIC_API_KEY', value: 's3cr3t'.repeat(6) }])
const rounds = 15
const turns = 600

/** P12 for rules: events per second of a run with twenty rules on everything, none of which is ever met, against none. */
export async function ruleFigures(): Promise<readonly Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'weave-bench-'))
  try {
    let run = 0
    const computed: { readonly count: number; readonly rate: number }[] = []
    const rate = async (count: number) => {
      const spent = await spentByAgent(join(base, `${run++}`), rulesOnAll(count))
      computed.push({ count, rate: perSecond(turns, spent.thread) })
      return perSecond(turns, spent.wall)
    }
    const result = await interleaved(
      rounds,
      () => rate(0),
      () => rate(20),
    )
    const best = (count: number) =>
      Math.max(...computed.filter(one => one.count === count).map(one => one.rate))
    const cpu = { floor: best(0), subject: best(20), spread: 'best' }
    return [
      { id: 'P12 rules', what: '20 rules on *', unit: 'events/s', ...result, goal: atLeast(0.9) },
      { id: 'P12 rules-cpu', what: 'the same, computing', unit: 'events/s', ...cpu, goal: atLeast(0.9) },
    ]
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

/** Half of them look at every event, half count a row that every turn breaks. */
function rulesOnAll(count: number): readonly RuleSetting[] {
  return Array.from({ length: count }, (_, index) => {
    const conditions =
      index % 2 === 0
        ? [{ path: 'totalCost', operator: 'greaterThan' as const, value: 1_000_000 }]
        : [{ path: 'toolName', operator: 'equals' as const, value: 'Bash' }]
    const trigger = { type: 'event' as const, on: ['*'], conditions }
    return { id: `rule-${index}`, trigger, times: 100, do: 'notify' as const, atMost: 1 }
  })
}

async function spentByAgent(dir: string, rules: readonly RuleSetting[]): Promise<Spent> {
  const layout = executionLayout(dir)
  for (const folder of [layout.journal, layout.agentRoot]) mkdirSync(folder, { recursive: true })
  const journal = await openJournal({ dir: layout.journal, clock, redactor })
  const recorder = createRecorder(journal, redactor, emptyState)
  const { harness, spent } = busyAgent(turns, 200)
  const plan = planOf(codonPlan('a'))
  const options = { plan, journal, recorder, clock, autostart: true, headless: true }
  const ruling = await openRuling({ rules, journal })
  const runner = startRunner({ ...options, effects: grouped(bareEffects(harness)) })
  ruling(runner)
  const result = await spent
  runner.shutdown('measured')
  await runner.done
  await journal.close()
  return result
}
