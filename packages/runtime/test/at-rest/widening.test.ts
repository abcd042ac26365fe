import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assertSample } from '../../../../test/support/sampled.ts'
import type { ScriptStep } from '../../../../test/support/scripted-harness.ts'
import type { PlannedCodon } from '../../src/plan/index.ts'
import { codonPlan } from '../runner/plans.ts'
import { createScene, type Scene } from './scene.ts'

type Files = Readonly<Record<string, string>>

interface Deed {
  readonly selects: readonly number[]
  readonly writes: readonly { readonly file: number; readonly text: string }[]
  readonly deletes: readonly number[]
}

const nameOf = (file: number): string => `f${file}.txt`
const idOf = (at: number): string => `c${at}`

/** Runs codons that write and delete files whether they select them or not; what each one found is written down. */
async function play(deeds: readonly Deed[]): Promise<{ scene: Scene; found: readonly Files[] }> {
  const found: Files[] = []
  const codons = deeds.map(({ selects }, at) =>
    codonPlan(idOf(at), { checkpointedFiles: selects.length > 0 ? selects.map(nameOf) : ['none'] }),
  )
  const scene: Scene = await createScene(codons, codonId => {
    found.push(scene.files())
    const { writes, deletes } = deeds[Number(codonId.slice(1))] ?? { writes: [], deletes: [] }
    for (const file of deletes) rmSync(join(scene.layout.agentRoot, nameOf(file)), { force: true })
    return writes.map(({ file, text }) => ({ write: nameOf(file), content: text }))
  })
  await scene.run()
  found.push(scene.files())
  return { scene, found }
}

/**
 * What has to be on the disk after a rollback from the end to the end of a codon. A file that was selected by then is as it
 * was; one that a later codon selected first is as it was when that one began; what nobody selected stays.
 */
function expected(deeds: readonly Deed[], found: readonly Files[], target: number): Files {
  const entries: [string, string][] = []
  for (let file = 0; file < files; file++) {
    const first = deeds.findIndex(({ selects }) => selects.includes(file))
    const at = first === -1 ? deeds.length : Math.max(first, target + 1)
    const text = found[at]?.[nameOf(file)]
    if (text !== undefined) entries.push([nameOf(file), text])
  }
  return Object.fromEntries(entries)
}

const files = 5
const file = fc.nat({ max: files - 1 })
const deed: fc.Arbitrary<Deed> = fc.record({
  selects: fc.uniqueArray(file, { maxLength: 3 }),
  writes: fc.array(fc.record({ file, text: fc.stringMatching(/^[a-z]{1,8}$/) }), { maxLength: 4 }),
  deletes: fc.uniqueArray(file, { maxLength: 2 }),
})

describe('files that a codon selects and an earlier one did not', () => {
  test('go back to what they were when it began, and forward again, whatever was done to them', async () => {
    await assertSample(
      fc.asyncProperty(fc.array(deed, { minLength: 2, maxLength: 4 }), async deeds => {
        const { scene, found } = await play(deeds)
        const end = scene.files()
        for (const target of deeds.keys()) {
          await scene.atRest(async execution => {
            const preview = await execution.preview({ to: idOf(target) })
            const done = await execution.rollBack({ to: idOf(target) })
            if (!preview.ok || !done.ok) throw new Error(JSON.stringify([preview, done]))
            const wanted = expected(deeds, found, target)
            expect(scene.files()).toEqual(wanted)
            const { create, change, delete: gone } = preview.preview
            expect([...create, ...change, ...gone].toSorted()).toEqual(differing(end, wanted))
            const undone = await execution.rollBack({ undo: true })
            if (!undone.ok) throw new Error(undone.message)
            expect(scene.files()).toEqual(end)
          })
        }
      }),
      { whole: 200, atLeast: 2 },
    )
  }, 1_800_000)

  test('are there again when it is tried again, and when it is repeated from after its rig', async () => {
    const found: Files[] = []
    const steps = (codonId: string): readonly ScriptStep[] => {
      if (codonId === 'a') return [{ write: 'notes.txt', content: 'by a' }]
      found.push(scene.files())
      const again = found.length > 1
      return [
        { write: 'notes.txt', content: 'by b' },
        ...(again ? [] : [{ fail: 'bad luck', retriable: true } as const]),
      ]
    }
    const rig = [{ type: 'command', command: { run: 'echo rigged > notes.txt' } }] as const
    const b: Partial<PlannedCodon> = { checkpointedFiles: ['*.txt'], rig }
    const scene: Scene = await createScene(
      [
        codonPlan('a', { checkpointedFiles: ['*.md'] }),
        codonPlan('b', {
          ...b,
          onFailure: 'retry',
          retry: { maxAttempts: 2, delayMs: 0, maxDelayMs: 0 },
        }),
      ],
      steps,
    )
    await scene.run()
    expect(found).toEqual([{ 'notes.txt': 'rigged\n' }, { 'notes.txt': 'rigged\n' }])
    await scene.atRest(async execution => {
      expect(await execution.rollBack({ to: 'b:rig-setup' })).toMatchObject({ ok: true })
    })
    expect(scene.files()).toEqual({ 'notes.txt': 'rigged\n' })
    await scene.run()
    expect(found).toHaveLength(3)
    await scene.atRest(async execution => {
      expect(await execution.rollBack({ to: 'a' })).toMatchObject({ ok: true })
    })
    expect(scene.files()).toEqual({ 'notes.txt': 'by a' })
  })
})

function differing(a: Files, b: Files): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(name => a[name] !== b[name]).toSorted()
}
