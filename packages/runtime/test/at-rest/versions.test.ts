import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckpointType, JournaledEvent } from '@weave/protocol'
import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { codonPlan } from '../runner/plans.ts'
import { createScene, keeping, type Scene } from './scene.ts'

function git({ layout }: Scene, ...words: readonly string[]): string {
  return execFileSync('git', ['--git-dir', layout.checkpoints, ...words], { encoding: 'utf8' })
}

/** The newest version of a codon of a type, by runtime id. */
async function versionOf(scene: Scene, codonId: string, type: CheckpointType): Promise<string> {
  const { state } = await scene.state()
  const codons = state.runs.flatMap(run => run.codons)
  return codons.findLast(each => each.codonId === codonId)?.checkpoints[type] ?? 'none'
}

async function namesIn(scene: Scene, codonId: string): Promise<readonly string[]> {
  const sha = await versionOf(scene, codonId, 'completed')
  return git(scene, 'ls-tree', '-r', '--name-only', sha).split('\n').filter(Boolean)
}

const cleanups = (events: readonly JournaledEvent[]) =>
  events.flatMap(event => (event.type === 'rollback.rigCleanup' ? [event.data] : []))

describe('a version', () => {
  verifies(
    ['d7/selection-union', '2.11/base-checkpointed-files'],
    'holds what the codons of its thread selected so far, in the workspace, and nothing of those that were undone',
    async () => {
      const scene = await createScene(
        [
          codonPlan('a', { checkpointedFiles: ['/a.md'] }),
          codonPlan('b', { checkpointedFiles: ['deep/*.txt'] }),
          codonPlan('c', { checkpointedFiles: [] }),
        ],
        codonId => [
          { write: 'a.md', content: codonId },
          { write: 'deep/a.md', content: codonId },
          { write: 'deep/b.txt', content: codonId },
        ],
      )
      await scene.run()
      expect(await namesIn(scene, 'a')).toEqual(['a.md'])
      expect(await namesIn(scene, 'b')).toEqual(['a.md', 'deep/b.txt'])
      expect(await namesIn(scene, 'c')).toEqual(['a.md', 'deep/b.txt'])
      expect(git(scene, 'show', `${await versionOf(scene, 'c', 'completed')}:a.md`)).toBe('c')

      const thread = await createScene(
        [
          codonPlan('a', { checkpointedFiles: ['/a.md'] }),
          codonPlan('b', { checkpointedFiles: ['b.txt'] }),
          codonPlan('c', { checkpointedFiles: ['c.txt'] }),
        ],
        codonId => ['a.md', 'b.txt', 'c.txt'].map(write => ({ write, content: codonId })),
      )
      await thread.run(async running => {
        await running.until('codon.completed', 3)
        await running.send({
          type: 'rollback.toCodon',
          data: { codonId: 'a', checkpointType: 'end', autoRestart: false },
        })
        await running.until('rollback.completed')
        await running.send({ type: 'codon.start', data: { codonId: 'c', skipPreCommands: false } })
        await running.until('codon.completed', 4)
        running.shutdown()
      })
      expect(await namesIn(thread, 'c')).toEqual(['a.md', 'c.txt'])
    },
  )

  verifies(
    ['d7/every-end-has-checkpoint', '3/skip-creates-checkpoint'],
    'is made at every end of a codon, as an empty commit when nothing changed',
    async () => {
      const scene = await createScene(
        [keeping('good'), keeping('bad', { onFailure: 'ignore' }), keeping('skipped'), keeping('last')],
        codonId => {
          if (codonId === 'bad') return [{ fail: 'bad luck', retriable: false }]
          return codonId === 'skipped' ? [{ hang: true }] : [{ say: 'done' }]
        },
      )
      await scene.run(async running => {
        await running.until('codon.started', 3)
        await running.send({ type: 'codon.skip', data: {} })
        await running.until('codon.completed', 4)
        running.shutdown()
      })
      const { run } = await scene.state()
      expect(run?.codons.map(({ checkpoints }) => Object.keys(checkpoints))).toEqual([
        ['completed'],
        ['error'],
        ['skipped'],
        ['completed'],
      ])
      const shas = (run?.codons ?? []).flatMap(({ checkpoints }) => Object.values(checkpoints))
      expect(new Set(shas).size).toBe(4)
      const trees = shas.map(sha => git(scene, 'rev-parse', `${sha}^{tree}`))
      expect(new Set(trees).size).toBe(1)
      const subjects = shas.map(sha => git(scene, 'log', '-1', '--format=%s', sha).trim())
      expect(subjects).toEqual([
        'checkpoint(completed): good',
        'checkpoint(error): bad',
        'checkpoint(skipped): skipped',
        'checkpoint(completed): last',
      ])
    },
  )

  verifies(['d8/retry-starting-checkpoint'], 'is where each attempt at a codon begins', async () => {
    const found: unknown[] = []
    const scene: Scene = await createScene(
      [
        keeping('a'),
        keeping('b', { onFailure: 'retry', retry: { maxAttempts: 3, delayMs: 0, maxDelayMs: 0 } }),
      ],
      codonId => {
        if (codonId === 'a') return [{ write: 'text.md', content: 'by a' }]
        found.push(scene.files())
        const again = found.length < 3 ? [{ fail: 'bad luck', retriable: true } as const] : []
        return [
          { write: 'text.md', content: `by b, ${found.length}` },
          { write: `half-${found.length}.md`, content: 'half' },
          ...again,
        ]
      },
    )
    await scene.run()
    expect(found).toEqual([{ 'text.md': 'by a' }, { 'text.md': 'by a' }, { 'text.md': 'by a' }])
    expect(scene.files()).toEqual({ 'text.md': 'by b, 3', 'half-3.md': 'half' })
  })
})

describe('a rollback', () => {
  verifies(
    ['d7/rig-cleanup-list'],
    'names what the rigs of undone codons had copied and the target does not hold',
    async () => {
      const copy = (to: string) => ({ type: 'copy', copy: { from: 'kit.txt', to } }) as const
      const scene = await createScene(
        [
          codonPlan('a', { checkpointedFiles: ['held.txt'], rig: [copy('held.txt'), copy('own.bin')] }),
          codonPlan('b', {
            checkpointedFiles: ['held.txt'],
            rig: [copy('held.txt'), copy('loose.bin'), copy('gone.bin')],
          }),
        ],
        () => [{ say: 'done' }],
      )
      writeFileSync(join(scene.hankDir, 'kit.txt'), 'kit')
      const events = await scene.run(async running => {
        await running.until('codon.completed', 2)
        await running.send({
          type: 'rollback.toCodon',
          data: { codonId: 'a', checkpointType: 'end', autoRestart: false },
        })
        await running.until('rollback.completed')
        running.shutdown()
      })
      const directories = ['gone.bin', 'loose.bin']
      expect(cleanups(events)).toMatchObject([
        { codonId: 'b', directories, status: 'started' },
        { codonId: 'b', directories, status: 'completed', successfulCleanups: directories },
      ])
      expect(Object.keys(scene.files())).toEqual(['held.txt', 'own.bin'])
    },
  )
})
