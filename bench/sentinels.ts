import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyState } from '@weave/protocol'
import { hiddenEvents, openSentinelEffects } from '../packages/runtime/src/execution/sentinel-effects.ts'
import { type AttachedSentinel, sentinelConfig } from '../packages/runtime/src/hank/index.ts'
import { openJournal } from '../packages/runtime/src/journal/index.ts'
import { createRedactor, systemClock } from '../packages/runtime/src/kit/index.ts'
import { type ModelServer, startModelServer } from '../packages/runtime/src/model-server/index.ts'
import { createRegistry, findModel, redirectProviders } from '../packages/runtime/src/models/index.ts'
import { createRecorder, startRunner } from '../packages/runtime/src/runner/index.ts'
import { startServer } from '../packages/runtime/src/server/index.ts'
import { executionLayout } from '../packages/runtime/src/workspace/index.ts'
import { bareEffects, grouped } from '../packages/runtime/test/runner/bare-effects.ts'
import { codonPlan, planOf } from '../packages/runtime/test/runner/plans.ts'
import { busyAgent, perSecond, type Spent } from './busy-agent.ts'
import { type Crowd, startCrowd } from './crowd.ts'
import { atLeast, type Figure, interleaved } from './measure.ts'

const launcher = new URL('../packages/cli/bin/weave.cjs', import.meta.url).pathname
/** So few that a batch of a thousand events does not fill. */
const turns = 150
/** Many, because a run waits for the disk more than it computes. */
const rounds = 15
const clock = systemClock
const redactor = createRedactor([{ name: 'ANTHROPIC_API_KEY', value: 's3cr3t'.repeat(6) }])

/**
 * Events per second of a run (goal P12): an agent that talks, uses tools and reports what it used, through the machine and
 * the journal to a client; with twenty sentinels that listen to everything and never ask their model, against none. They
 * are a mixture: conditions that do not hold, batches that do not fill in number or in time, sequences that begin with
 * every turn and are never completed. Needs a built command.
 */
export async function sentinelFigures(): Promise<readonly Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'weave-bench-'))
  const crowd = startCrowd()
  let asked = 0
  const model = await startModelServer({
    clock,
    respond: () => {
      asked++
      return { kind: 'message', parts: [{ kind: 'text', text: 'ok' }] }
    },
  })
  try {
    let run = 0
    const computed: { readonly sentinels: number; readonly rate: number }[] = []
    const rate = async (sentinels: number) => {
      const spent = await spentByAgent(join(base, `${run++}`), { sentinels, crowd, model })
      computed.push({ sentinels, rate: perSecond(turns, spent.cpu) })
      return perSecond(turns, spent.wall)
    }
    const result = await interleaved(
      rounds,
      () => rate(0),
      () => rate(20),
    )
    const best = (sentinels: number) =>
      Math.max(...computed.filter(one => one.sentinels === sentinels).map(one => one.rate))
    // One health check for each run that has sentinels, and nothing else.
    if (asked !== rounds + 1) throw new Error(`the model was asked ${asked} times`)
    const cpu = { floor: best(0), subject: best(20), spread: 'best' }
    return [
      { id: 'P12', what: '20 sentinels on *', unit: 'events/s', ...result, goal: atLeast(0.9) },
      { id: 'P12-cpu', what: 'the same, computing', unit: 'events/s', ...cpu, goal: atLeast(0.9) },
    ]
  } finally {
    await crowd.close()
    await model.close()
    rmSync(base, { recursive: true, force: true })
  }
}

/** Seven kinds in turn, none of which has a reason to ask: three gather a batch, four wait for what never comes. */
function attachments(count: number): readonly AttachedSentinel[] {
  return Array.from({ length: count }, (_, at) => {
    const config = sentinelConfig.parse({
      id: `s-${at}`,
      name: `S ${at}`,
      model: 'haiku',
      ...idleKinds[at % idleKinds.length],
      // With a tag, so that the interpreter is up before the agent begins.
      userPromptText: 'What happened? <%= it.events.length %>',
    })
    return { codon: 'hank[0]', codonId: 'a', config, settings: {}, base: '' }
  })
}

const everything = { type: 'event', on: ['*'] }
const failedCall = { ...everything, conditions: [{ operator: 'equals', path: 'isError', value: true }] }
const panic = { ...everything, conditions: [{ operator: 'matches', path: 'result', value: 'panic|fatal' }] }
const sequence = {
  type: 'sequence',
  interestFilter: { on: ['*'] },
  pattern: [{ type: 'tool.result' }, { type: 'error' }],
}
const immediate = { strategy: 'immediate' }
const idleKinds = [
  { trigger: failedCall, execution: immediate },
  { trigger: panic, execution: immediate },
  { trigger: everything, execution: { strategy: 'count', threshold: 1_000 } },
  { trigger: everything, execution: { strategy: 'timeWindow', milliseconds: 3_600_000 } },
  { trigger: everything, execution: { strategy: 'debounce', milliseconds: 300_000 } },
  { trigger: sequence, execution: immediate },
  { trigger: { ...sequence, options: { consecutive: true } }, execution: immediate },
]

interface Scene {
  readonly sentinels: number
  readonly crowd: Crowd
  readonly model: ModelServer
}

async function spentByAgent(dir: string, { sentinels, crowd, model }: Scene): Promise<Spent> {
  const layout = executionLayout(dir)
  for (const folder of [layout.journal, layout.agentRoot]) mkdirSync(folder, { recursive: true })
  const journal = await openJournal({ dir: layout.journal, clock, redactor })
  const recorder = createRecorder(journal, redactor, emptyState)
  const plan = { ...planOf(codonPlan('a')), sentinels: attachments(sentinels) }
  const { registry } = await createRegistry({ additions: [] })
  const observers = openSentinelEffects({
    plan,
    assertHeld: () => undefined,
    layout,
    journal,
    recorder,
    clock,
    redactor,
    environment: redirectProviders(process.env, { url: model.url, key: 'bench' }),
    setup: {
      settings: { enablePersistence: true, healthCheckGracePeriodMs: 2_000, waitForAllHealthChecks: true },
      sandboxEntry: { file: launcher, argv: ['sentinel-sandbox'] },
      modelOf: name => findModel(name, registry),
    },
  })
  if (sentinels > 0) await observers.startHealthChecks()
  const { harness, spent } = busyAgent(turns, 1_000)
  const options = { plan, journal, recorder, clock, autostart: false, headless: false }
  const runner = startRunner({
    ...options,
    effects: { ...grouped(bareEffects(harness)), sentinels: observers.effects },
  })
  const started = await startServer({
    port: 0,
    readonlyOnly: false,
    idleTimeoutSeconds: 0,
    allowOtherUsers: false,
    journal,
    redactor,
    control: runner,
    hides: hiddenEvents(plan),
    ready: () => ({ serverVersion: '0.10.0', executionPath: dir, dataPath: dir }),
    clock,
  })
  if (!started.ok) throw new Error(started.message)
  await crowd.ask({ do: 'connect', port: started.server.port, count: 1, greetings: 2 })
  await runner.submit({ id: 'go', type: 'codon.next', data: {} })
  const result = await spent
  await crowd.ask({ do: 'leave' })
  runner.shutdown('measured')
  await runner.done
  await started.server.close('done')
  await observers.close()
  await journal.close()
  return result
}
