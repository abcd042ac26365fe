import type { PlannedItem } from '../../src/plan/index.ts'
import { createScene, keeping, type Running, type Scene } from '../at-rest/scene.ts'
import { loopPlan, planOf } from '../runner/plans.ts'

/** Numbers by lot that a seed repeats. */
export function createLot(seed: number) {
  let state = seed >>> 0 || 1
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  return {
    below: (limit: number): number => Math.floor(next() * limit),
    chance: (part: number): boolean => next() < part,
  }
}

export type Lot = ReturnType<typeof createLot>

/** A hank by lot: codons and loops, with rigs, failures that are tried again or ignored, and limits that stop them. */
function randomItems(lot: Lot): readonly PlannedItem[] {
  const codon = (id: string) =>
    keeping(id, {
      onFailure: lot.chance(0.5) ? 'retry' : 'ignore',
      retry: { maxAttempts: 3, delayMs: 1, maxDelayMs: 1 },
      ...(lot.chance(0.3) && {
        rig: [{ type: 'command', command: { run: `echo rig > ${id}-rig.txt` }, allowFailure: false }],
      }),
      ...(lot.chance(0.2) && { budget: { maxDollars: 0.015, onExceeded: 'complete' } }),
    })
  const items: PlannedItem[] = []
  for (let at = 0; at < 2 + lot.below(3); at++)
    items.push(lot.chance(0.3) ? loopPlan(`loop${at}`, 1 + lot.below(3), [codon(`l${at}`)]) : codon(`c${at}`))
  return items
}

/** Runs a hank by lot, with skips, shutdowns, rollbacks and resumes on the way. */
export async function randomExecution(seed: number): Promise<Scene> {
  const lot = createLot(seed)
  const items = randomItems(lot)
  let attempts = 0
  const scene = await createScene(
    hankDir => ({ ...planOf(...items), hankDir }),
    codonId => {
      attempts++
      const file = { write: `${codonId.replace('#', '-')}.txt`, content: `${codonId} ${attempts}` }
      const shared = { write: 'shared/notes.md', content: `${attempts}\n`.repeat(1 + lot.below(4)) }
      const usage = { usage: { input: 100, output: 10 + lot.below(50), dollars: 0.01 } }
      if (lot.chance(0.2)) return [file, usage, { fail: 'not today', retriable: true }]
      return [file, usage, ...(lot.chance(0.5) ? [shared, usage] : []), { say: `done with ${codonId}` }]
    },
  )
  await scene.run().catch(() => [])
  for (let turn = 0; turn < 1 + lot.below(3); turn++) await disturb(scene, lot)
  return scene
}

async function disturb(scene: Scene, lot: Lot): Promise<void> {
  const { state } = await scene.state()
  const names = state.runs.flatMap(({ codons }) => codons.map(({ codonId }) => codonId))
  const to = names[lot.below(names.length)]
  if (to !== undefined)
    await scene.atRest(execution => execution.rollBack({ to: lot.chance(0.3) ? `${to}:start` : to }))
  if (lot.chance(0.8)) await scene.run(lot.chance(0.3) ? stopEarly : undefined).catch(() => [])
}

async function stopEarly(running: Running): Promise<void> {
  running.shutdown()
}
