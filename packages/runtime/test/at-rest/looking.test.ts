import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { type CheckpointRow, readCheckpointRows } from '../../src/at-rest/checkpoint-rows.ts'
import { createScene, keeping, type Scene } from './scene.ts'

async function twoCodons(): Promise<Scene> {
  const rig = [{ type: 'command', command: { run: 'echo rigged > rigged.txt' } }] as const
  return createScene([keeping('a'), keeping('b', { rig })], codonId => [
    { write: 'shared.txt', content: `by ${codonId}\n` },
    { write: `${codonId}.md`, content: `${codonId}\n` },
  ])
}

const short = ({ codonId, type, status, files, isUndone }: CheckpointRow) =>
  `${[codonId, type, status, files].join(' ')}${isUndone ? ' undone' : ''}`

describe('the list of checkpoints', () => {
  verifies(
    ['d7/branches-kept'],
    'has every run, how many files each changed, and what was undone',
    async () => {
      const scene = await twoCodons()
      await scene.run()
      const rows = await scene.atRest(execution => execution.checkpoints())
      const begun = [' start  0', 'a completed completed 2']
      expect(rows.map(short)).toEqual([...begun, 'b rig-setup completed 1', 'b completed completed 2'])
      expect(rows.map(({ sha }) => sha)).toEqual(rows.map(() => expect.stringMatching(/^[0-9a-f]{40}$/)))
      await scene.atRest(execution => execution.rollBack({ to: 'a' }))
      const later = await scene.atRest(execution => execution.checkpoints())
      expect(later.map(short)).toEqual([
        ...begun,
        'b rig-setup completed 1 undone',
        'b completed completed 2 undone',
        'b safety completed 4',
      ])
      expect(later.at(-1)?.runId).toBe(rows[0]?.runId)
    },
  )

  test('can be read while a server is at work, from the journal alone', async () => {
    const scene = await createScene([keeping('a'), keeping('b')], codonId =>
      codonId === 'a' ? [{ write: 'a.md', content: 'a' }] : [{ hang: true }],
    )
    await scene.run(async running => {
      await running.until('codon.started', 2)
      expect((await readCheckpointRows(scene.layout)).map(short)).toEqual([
        ' start  ',
        'a completed completed ',
      ])
      running.shutdown()
    })
  })
})

describe('a comparison', () => {
  test('is between two checkpoints, or between one and the disk, and changes nothing', async () => {
    const scene = await twoCodons()
    await scene.run()
    writeFileSync(join(scene.layout.agentRoot, 'b.md'), 'by hand\n')
    const before = scene.files()
    await scene.atRest(async execution => {
      const own = await execution.diff({ from: 'b:start', to: 'b:end', lines: true, text: true })
      if (!own.ok) throw new Error(own.message)
      expect(own.files.map(({ path, status, additions }) => [path, status, additions])).toEqual([
        ['b.md', 'added', 1],
        ['shared.txt', 'modified', 1],
      ])
      expect(own.text?.bytes.toString()).toContain('-by a\n+by b\n')
      expect(await execution.diff({ from: 'b' })).toMatchObject({
        ok: true,
        to: 'the disk',
        files: [{ path: 'b.md', status: 'modified' }],
      })
      expect(await execution.diff({ from: 'start', to: 'a' })).toMatchObject({
        ok: true,
        from: expect.stringContaining('the beginning'),
        files: [{ path: 'a.md' }, { path: 'shared.txt' }],
      })
      expect(await execution.diff({ from: 'a', to: 'nothing' })).toMatchObject({ ok: false })
    })
    expect(scene.files()).toEqual(before)
  })
})
