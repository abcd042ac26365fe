import { type CodonExecution, lineageOf } from '@weave/protocol'
import fc from 'fast-check'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { isProof, tally } from '../../../../test/support/proof.ts'
import { assertSample } from '../../../../test/support/sampled.ts'
import type { Plan, PlannedCodon, PlannedItem } from '../../src/plan/index.ts'
import { createScene, type Scene } from '../at-rest/scene.ts'
import { codonPlan, loopPlan, planOf } from '../runner/plans.ts'

/** A hank as a random edit sees it; a plan is made of it. */
interface Draft {
  readonly id: string
  readonly text: string
  readonly model: 'one' | 'two'
  readonly continues: boolean
}
type DraftItem = Draft | { readonly id: string; readonly limit: number; readonly codons: readonly Draft[] }

const draft = (id: string): fc.Arbitrary<Draft> =>
  fc.record({
    id: fc.constant(id),
    text: fc.constantFrom('first', 'second'),
    model: fc.constantFrom('one', 'two'),
    continues: fc.boolean(),
  })

const hanks: fc.Arbitrary<readonly DraftItem[]> = fc
  .array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 2 })), { minLength: 2, maxLength: 4 })
  .chain(shapes =>
    fc.tuple(
      ...shapes.map((inLoop, at): fc.Arbitrary<DraftItem> => {
        if (inLoop === 0) return draft(`c${at}`)
        const codons = fc.tuple(...Array.from({ length: inLoop }, (_, index) => draft(`l${at}x${index}`)))
        return fc.record({ id: fc.constant(`loop${at}`), limit: fc.integer({ min: 1, max: 3 }), codons })
      }),
    ),
  )

type Edit = (items: readonly DraftItem[], at: number) => readonly DraftItem[]

const isDraft = (item: DraftItem): item is Draft => !('codons' in item)
const onCodon =
  (change: (codon: Draft) => Draft): Edit =>
  (items, at) =>
    items.map((item, index) => {
      if (index !== at) return item
      return isDraft(item)
        ? change(item)
        : { ...item, codons: [change(item.codons[0] as Draft), ...item.codons.slice(1)] }
    })

const edits: Readonly<Record<string, Edit>> = {
  text: onCodon(codon => ({ ...codon, text: `${codon.text}, edited` })),
  rename: onCodon(codon => ({ ...codon, id: `${codon.id}new` })),
  model: onCodon(codon => ({ ...codon, model: codon.model === 'one' ? 'two' : 'one' })),
  continues: onCodon(codon => ({ ...codon, continues: !codon.continues })),
  add: (items, at) =>
    items.toSpliced(at, 0, { id: `add${items.length}`, text: 'new', model: 'one', continues: false }),
  remove: (items, at) => items.toSpliced(at, 1),
  limit: (items, at) =>
    items.map((item, index) =>
      index === at && !isDraft(item) ? { ...item, limit: 1 + (item.limit % 3) } : item,
    ),
  swap: (items, at) => {
    const [one, two] = [items[at], items[at + 1]]
    return one && two ? items.toSpliced(at, 2, two, one) : items
  },
  loopName: (items, at) =>
    items.map((item, index) => (index === at && !isDraft(item) ? { ...item, id: `${item.id}new` } : item)),
}

/** As the checks of a hank would have it: nobody continues from nothing, and a conversation has one model. */
function planned(items: readonly DraftItem[]): Plan {
  let previous: Draft | undefined
  const codon = (given: Draft): PlannedCodon => {
    const continues = given.continues && previous !== undefined
    const model = continues && previous ? previous.model : given.model
    previous = { ...given, model }
    return codonPlan(given.id, {
      checkpointedFiles: ['**'],
      prompt: { text: given.text },
      continuation: continues ? 'continue-previous' : 'fresh',
      model: {
        id: model,
        provider: 'test',
        harness: 'embedded',
        identity: `embedded:test/${model}`,
        contextWindow: 1e5,
      },
    })
  }
  return planOf(
    ...items.map(
      (item): PlannedItem =>
        isDraft(item) ? codon(item) : loopPlan(item.id, item.limit, item.codons.map(codon)),
    ),
  )
}

interface Ran {
  readonly runtimeId: string
  readonly loopId: string | undefined
  readonly codon: PlannedCodon
}

/** Every codon of a plan in the order in which it runs. */
function unrolled({ items }: Plan): readonly Ran[] {
  return items.flatMap((item): readonly Ran[] => {
    if (item.kind === 'codon') return [{ runtimeId: item.id, loopId: undefined, codon: item }]
    return Array.from({ length: item.limit ?? 0 }, (_, iteration) =>
      item.codons.map(codon => ({ runtimeId: `${codon.id}#${iteration}`, loopId: item.id, codon })),
    ).flat()
  })
}

/** The rule, said another way: what is done is a beginning of the new plan, and the next conversation keeps its model. */
function mayTakeOver(before: Plan, next: Plan, done: number): boolean {
  const [old, now] = [unrolled(before), unrolled(next)]
  const same = old.slice(0, done).every(({ runtimeId, loopId }, at) => {
    return now[at]?.runtimeId === runtimeId && now[at]?.loopId === loopId
  })
  const entry = now[done]?.codon
  const last = old[done - 1]?.codon
  if (!same || entry?.continuation !== 'continue-previous' || !last) return same
  return entry.model.identity === last.model.identity
}

/** An execution whose codon number `stopAt` fails until `repair` is called. */
async function execution(plan: Plan, stopAt: number) {
  let called = 0
  let broken = true
  const scene = await createScene(
    hankDir => ({ ...plan, hankDir }),
    (codonId, { prompt }) => {
      if (broken && called++ === stopAt) return [{ fail: 'broken', retriable: false }]
      return [
        { write: `${codonId.replace('#', '-')}.txt`, content: prompt },
        { usage: { input: 10, output: 10, dollars: 0.01 } },
      ]
    },
  )
  const repair = (): void => {
    broken = false
  }
  return { scene, repair }
}

const passed = async (scene: Scene): Promise<readonly CodonExecution[]> => {
  const { state, run } = await scene.state()
  return lineageOf(state, run).filter(({ status }) => status === 'completed')
}

const idsOf = (records: readonly CodonExecution[]) => records.map(({ codonId, cost }) => ({ codonId, cost }))

verifies(
  ['repair/adopt-exactly-when', 'repair/adopt-keeps-done', 'repair/adopt-lasts'],
  'an edited hank takes over exactly when the rules allow it, and then all is as if it had always been so',
  async () => {
    const edit = fc.record({ name: fc.constantFrom(...Object.keys(edits)), at: fc.nat({ max: 4 }) })
    const counts = { adopted: 0, refused: 0 }
    await assertSample(
      fc.asyncProperty(
        hanks,
        fc.array(edit, { minLength: 1, maxLength: 2 }),
        fc.nat({ max: 7 }),
        async (items, changes, stop) => {
          const before = planned(items)
          const next = planned(changes.reduce((all, { name, at }) => edits[name]?.(all, at) ?? all, items))
          fc.pre(next.items.length > 0)
          const stopAt = Math.min(stop, unrolled(before).length)
          const { scene, repair } = await execution(before, stopAt)
          await scene.run()
          const done = await passed(scene)
          expect(done).toHaveLength(stopAt)
          const files = scene.files()
          repair()
          if (!mayTakeOver(before, next, stopAt)) {
            counts.refused++
            await expect(scene.adopt(next)).rejects.toThrow(/Go back first: weave rollback/)
            expect(scene.files()).toEqual(files)
            expect(await passed(scene)).toEqual(done)
            return
          }
          counts.adopted++
          await scene.adopt(next)
          // The plan of the beginning is offered again; what was adopted is what runs.
          await scene.run()
          const now = await passed(scene)
          expect(now.slice(0, stopAt)).toEqual(done)
          expect(now.map(({ codonId }) => codonId)).toEqual(unrolled(next).map(({ runtimeId }) => runtimeId))
          const isSame = unrolled(before)
            .slice(0, stopAt)
            .every(({ codon }, at) => {
              return JSON.stringify(codon) === JSON.stringify(unrolled(next)[at]?.codon)
            })
          if (!isSame) return
          const fresh = await execution(next, -1)
          await fresh.scene.run()
          expect(idsOf(now)).toEqual(idsOf(await passed(fresh.scene)))
          expect(scene.files()).toEqual(fresh.scene.files())
          const { state } = await scene.state()
          expect(state.totalCost).toBeCloseTo((await fresh.scene.state()).state.totalCost, 6)
        },
      ),
      { whole: 200, atLeast: 3 },
    )
    tally('edited hanks offered for adoption', counts.adopted + counts.refused)
    expect(counts.adopted + counts.refused).toBeGreaterThan(0)
  },
  isProof ? 900_000 : 90_000,
)
