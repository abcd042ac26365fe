import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CodonExecution, WeaveState } from '@weave/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tally } from '../../../../test/support/proof.ts'
import { assertSample } from '../../../../test/support/sampled.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { Plan } from '../../src/plan/index.ts'
import { plans, type Scripts, scripts, stepsOf, turnsOf } from './arbitraries.ts'
import { firstName, nameAfter, placeOf } from './model-plan.ts'
import { codonPlan, planOf } from './plans.ts'
import { openScenario, type Scenario, startScenario } from './scenario.ts'

const segment = 'events-000000000001.jsonl'

/** Where the power goes: after this part of the lines, and so many bytes into the next one. */
interface Cut {
  readonly part: number
  readonly torn: number
}

interface Life {
  readonly plan: Plan
  readonly scripts: Scripts
  readonly dir: string
}

function live({ plan, scripts: all, dir }: Life, from?: { readonly dir: string }): Promise<Scenario> {
  let calls = 0
  let call = 0
  const script = (codonId: string, _call: number, turn: number) => {
    if (turn === 0) call = calls++
    return stepsOf(turnsOf(plan, all, codonId, call)[turn])
  }
  return openScenario({ plan, script, ...(from && { from }) }, dir)
}

/** Runs until something hangs, waits or is over, and leaves in `next` what a kill at the cut would leave on the disk. */
async function liveAndDie(life: Life, { part, torn }: Cut, next: string): Promise<void> {
  const scenario = await live(life, { dir: life.dir })
  for (let seen = -1; seen !== scenario.events.length; ) {
    seen = scenario.events.length
    await new Promise(resolve => setImmediate(resolve))
    await new Promise(resolve => setImmediate(resolve))
  }
  const lines = readFileSync(join(life.dir, 'journal', segment), 'utf8').split(/(?<=\n)/)
  const at = Math.floor(part * lines.length)
  mkdirSync(join(next, 'journal', 'blobs'), { recursive: true })
  writeFileSync(
    join(next, 'journal', segment),
    lines.slice(0, at).join('') + (lines[at] ?? '').slice(0, torn),
  )
  await scenario.close()
}

const isPassed = (plan: Plan, codon: CodonExecution): boolean =>
  codon.status === 'completed' ||
  (codon.status === 'failed' &&
    codon.exitStatus.type !== 'killed' &&
    placeOf(plan, codon.codonId)?.codon.onFailure === 'ignore')

/** The plan from a codon on, when every agent does well. */
function restOf(plan: Plan, last: CodonExecution | undefined): readonly string[] {
  const ids: string[] = []
  const isFull = last !== undefined && 'contextExceeded' in last && last.contextExceeded === true
  let next = last ? nameAfter(plan, { id: last.codonId, full: isFull }) : firstName(plan, 0)
  while (next !== undefined) {
    ids.push(next)
    const { loop, iteration = 0 } = placeOf(plan, next) ?? {}
    next = nameAfter(plan, { id: next, full: loop?.limit === null && iteration >= 2 })
  }
  return ids
}

const allCodons = ({ runs }: WeaveState) => runs.flatMap(run => run.codons)
const completedIds = (codons: readonly CodonExecution[]) =>
  codons.filter(({ status }) => status === 'completed').map(({ codonId }) => codonId)

interface Story {
  readonly plan: Plan
  readonly lives: readonly { readonly scripts: Scripts; readonly cut: Cut }[]
}

const stories: fc.Arbitrary<Story> = fc.record({
  plan: plans,
  lives: fc.array(
    fc.record({
      scripts,
      cut: fc.record({ part: fc.double({ min: 0, max: 1, noNaN: true }), torn: fc.nat({ max: 80 }) }),
    }),
    { minLength: 2, maxLength: 4 },
  ),
})

/** One life after the other, each killed at its cut; the last one comes to the end of the plan. Returns how often it died. */
async function liveOn({ plan, lives }: Story, base: string): Promise<number> {
  const dirOf = (at: number) => join(base, `life${at}`)
  for (const [at, { scripts: all, cut }] of lives.entries())
    await liveAndDie({ plan, scripts: all, dir: dirOf(at) }, cut, dirOf(at + 1))
  const dir = dirOf(lives.length)
  const last = await live({ plan, scripts: [], dir }, { dir })
  const before = allCodons(last.recorder.state).slice(0, startOfLastRun(last))
  const passed = before.findLast(codon => isPassed(plan, codon))
  expect(await last.runner.done).toEqual({ status: 'completed' })
  const own = last.recorder.state.runs.at(-1)
  expect(own?.codons.map(({ codonId }) => codonId)).toEqual(restOf(plan, passed))
  expect(own?.status).toBe('completed')
  const ids = completedIds(allCodons(last.recorder.state))
  expect(new Set(ids).size).toBe(ids.length)
  await last.close()
  return lives.length
}

function startOfLastRun({ recorder }: Scenario): number {
  const own = recorder.state.runs.at(-1)
  return allCodons(recorder.state).length - (own?.codons.length ?? 0)
}

describe('a server that is killed', () => {
  verifies(
    ['d4/start-reruns-interrupted-codon'],
    'at any byte of its journal, again and again: the plan comes to its end and no completed codon runs twice',
    async () => {
      const base = await tempDir({ inMemory: true })
      let number = 0
      let deaths = 0
      const told = await assertSample(
        fc.asyncProperty(stories, async story => {
          const dir = join(base, `${number++}`)
          deaths += await liveOn(story, dir)
          await rm(dir, { recursive: true, force: true })
        }),
        { whole: 110, atLeast: 20, plugins: [fc.timeout(20_000)] },
      )
      expect(deaths).toBeGreaterThanOrEqual(2 * told)
      tally('lives cut off in a journal', deaths)
    },
    90_000,
  )

  test('in the middle of a codon whose failure nobody minds: it runs again all the same', async () => {
    const plan = planOf(codonPlan('a', { onFailure: 'ignore' }), codonPlan('b'))
    const base = await tempDir({ inMemory: true })
    const [first, next] = [join(base, 'first'), join(base, 'next')]
    await liveAndDie({ plan, scripts: [[{ kind: 'hang' }]], dir: first }, { part: 1, torn: 0 }, next)
    const again = await startScenario({ plan, from: { dir: next } })
    expect(await again.runner.done).toEqual({ status: 'completed' })
    expect(
      again.recorder.state.runs.map(run => [run.status, ...run.codons.map(codon => codon.status)]),
    ).toEqual([
      ['crashed', 'failed'],
      ['completed', 'completed', 'completed'],
    ])
  })

  test('by a shutdown the same: the codon that was cut off runs again', async () => {
    const plan = planOf(codonPlan('a', { onFailure: 'ignore' }), codonPlan('b'))
    const first = await startScenario({ plan, script: () => [{ say: 'hm' }, { hang: true }] })
    await first.until('assistant.action')
    first.runner.shutdown('SIGTERM')
    expect(await first.runner.done).toEqual({ status: 'stopped', reason: 'SIGTERM' })
    await first.close()
    const again = await startScenario({ plan, from: first })
    expect(await again.runner.done).toEqual({ status: 'completed' })
    expect(again.codons()).toEqual(['a:completed', 'b:completed'])
  })
})
