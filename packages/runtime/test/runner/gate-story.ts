import type { JournaledEvent } from '@weave/protocol'
import type { Plan, PlannedGate } from '../../src/plan/index.ts'
import type { Gating } from '../../src/runner/index.ts'
import { codonPlan, loopPlan, planOf } from './plans.ts'
import { openScenario, type Scenario, type ScenarioOptions } from './scenario.ts'
import { createVersions } from './versions.ts'

/** What a person does while a run goes on, in words, and what the run says to it, in lines. */
export interface GateStory {
  readonly gates: readonly PlannedGate[]
  /** `approve`, `reject`, `next`, `start c`, `redo`, `rollback a end`, `hold`, `hold c`, `release hold-1`, `wait 60`, `restart`, `restart 60`: so many seconds later. */
  readonly deeds: readonly string[]
  readonly plan?: Plan
  readonly options?: Partial<ScenarioOptions>
  /** Of the starts after the first one. */
  readonly later?: { readonly gates?: readonly PlannedGate[]; readonly gating?: Partial<Gating> }
}

export const three = planOf(codonPlan('a'), codonPlan('b'), codonPlan('c'))
export const looping = planOf(
  codonPlan('a'),
  loopPlan('l', 2, [codonPlan('x'), codonPlan('y')]),
  codonPlan('z'),
)

/** Plays it to its end, and returns what was seen. */
export async function playGates(story: GateStory, dir: string): Promise<readonly string[]> {
  const lines: string[] = []
  const { plan = three, options, later } = story
  const versions = createVersions()
  const base = {
    plan: { ...plan, gates: story.gates },
    effects: versions.effects,
    keepAlive: true,
    ...options,
  }
  const onEvent = (event: JournaledEvent): void => {
    const line = lineOf(event)
    if (line !== undefined) lines.push(line)
  }
  let run = await openScenario({ ...base, headless: false, onEvent }, dir)
  run.runner.clientArrived()
  for (const deed of story.deeds) {
    await quiet(run)
    const [word, seconds = '0'] = deed.split(' ')
    if (word !== 'restart') {
      const refused = await act(run, deed)
      if (refused !== undefined) lines.push(`refused ${refused}`)
      continue
    }
    await run.close()
    const gates = later?.gates ?? story.gates
    const at = new Date(run.clock.now().getTime() + Number(seconds) * 1000).toISOString()
    const next = { ...base, plan: { ...plan, gates }, headless: false, from: { dir }, at, onEvent }
    run = await openScenario({ ...next, ...(later?.gating && { gates: later.gating }) }, dir)
    run.runner.clientArrived()
  }
  await quiet(run)
  await run.close()
  return lines
}

async function act(run: Scenario, deed: string): Promise<string | undefined> {
  const [word = '', first, second] = deed.split(' ')
  const seq = lastQuestion(run)
  const said = await (() => {
    switch (word) {
      case 'approve':
      case 'reject':
        return run.send('gate.decide', { seq: Number(first ?? seq), decision: word, note: 'n' })
      case 'next':
        return run.send('codon.next')
      case 'start':
        return run.send('codon.start', { codonId: first ?? '' })
      case 'redo':
        return run.send('codon.redo')
      case 'skip':
        return run.send('codon.skip')
      case 'rollback':
        return run.send('rollback.toCodon', {
          codonId: first ?? '',
          checkpointType: second === 'start' ? 'start' : 'end',
          autoRestart: true,
        })
      case 'hold':
        return run.send('gate.hold', first === undefined ? {} : { before: first })
      case 'release':
        return run.send('gate.release', { gateId: first ?? '' })
      default:
        return run.clock.advance(Number(first) * 1000).then(() => ({ ok: true }) as const)
    }
  })()
  return said.ok ? undefined : said.code
}

/** Of this start. */
function lastQuestion({ events }: Scenario): number {
  const own = events.findLast(({ type }) => type === 'gate.waiting')?.seq
  return own ?? 0
}

export async function quiet({ events }: Pick<Scenario, 'events'>): Promise<void> {
  for (let before = -1, still = 0; still < 6; still = before === events.length ? still + 1 : 0) {
    before = events.length
    await new Promise(resolve => setImmediate(resolve))
  }
}

function lineOf({ type, data }: JournaledEvent): string | undefined {
  switch (type) {
    case 'gate.waiting':
      return `ask ${data.gateId} > ${data.next ?? 'end'}${data.round > 1 ? ` r${data.round}` : ''}`
    case 'gate.decided':
      return `${data.gateId} ${data.decision}`
    case 'gate.armed':
      return `armed ${data.gateId}`
    case 'rollback.completed':
      return `back to ${data.codonId}`
    case 'state.transition': {
      const { transitionType, codonId, transition } = data
      if (transitionType === 'CodonStarted') return `start ${codonId}`
      if (transitionType === 'RunCompleted') return `run ${String(transition.data['outcome'])}`
      return undefined
    }
    case 'budget.exceeded':
      return 'budget exceeded'
    default:
      return undefined
  }
}
