import { link, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tally } from '../../../../test/support/proof.ts'
import { type OutputCopy, openStaging, publishStaged, stageFiles } from '../../src/effects/output-staging.ts'
import { settleOutputs, undoOutputs } from '../../src/effects/output-undo.ts'
import { dyingProgram, untilFinished } from '../workspace/dying-program.ts'
import { type PreparedWorkspace, preparedWorkspace, put, treeOf } from '../workspace/prepared-workspace.ts'

const now = new Date('2026-01-01T00:00:00Z')
const files = { 'a.txt': 'ours a', 'sub/b.txt': 'ours b', 'c.txt': 'ours c' }

/** A copy that was killed when everything was gathered. */
async function gathered(overwrite = false): Promise<PreparedWorkspace & { readonly copy: OutputCopy }> {
  const workspace = await preparedWorkspace()
  const { agentRoot, output } = workspace
  await put(agentRoot, files)
  await put(output, { 'a.txt': 'theirs', 'z.txt': 'theirs' })
  const copy = { id: 'output_1', directory: output, overwrite }
  await openStaging(copy)
  const sources = Object.keys(files).map(path => ({ path, source: path }))
  await stageFiles(copy, { agentRoot, sources })
  return { ...workspace, copy }
}

/** Without the directories that may stay. */
async function filesIn(directory: string): Promise<Record<string, string>> {
  return Object.fromEntries(Object.entries(await treeOf(directory)).filter(([path]) => !path.endsWith('/')))
}

const theirs = { 'a.txt': 'theirs', 'z.txt': 'theirs' }

describe('a copy that was cut off', () => {
  it('before anything had its name, leaves nothing when it is taken back', async () => {
    const { copy, output } = await gathered()
    expect(await undoOutputs(copy)).toEqual({ ok: true, removed: [] })
    expect(await treeOf(output)).toEqual(theirs)
  })

  it('when everything had, also under other names, leaves what others have', async () => {
    const { copy, output } = await gathered()
    const published = await publishStaged(copy, now)
    expect(published.map(file => file.to)).toEqual(['a_1_20260101-000000.txt', 'c.txt', 'sub/b.txt'])
    expect(await undoOutputs(copy)).toEqual({ ok: true, removed: published.map(file => file.to) })
    expect(await filesIn(output)).toEqual(theirs)
    expect(await undoOutputs(copy)).toEqual({ ok: true, removed: [] })
  })

  it('with some in place, and one of them replaced by somebody since, takes only its own', async () => {
    const { copy, output } = await gathered()
    const staging = join(output, '.weave-output_1')
    await link(join(staging, 'a.txt'), join(output, 'a_7_20260101-000000.txt'))
    await link(join(staging, 'c.txt'), join(output, 'c.txt'))
    await unlink(join(output, 'c.txt'))
    await put(output, { 'c.txt': 'ours c' })
    expect(await undoOutputs(copy)).toEqual({ ok: true, removed: ['a_7_20260101-000000.txt'] })
    expect(await treeOf(output)).toEqual({ ...theirs, 'c.txt': 'ours c' })
  })

  it('after it was on record, is only tidied up', async () => {
    const { copy, output } = await gathered()
    await publishStaged(copy, now)
    expect(await settleOutputs(copy)).toMatchObject({ ok: true })
    expect(await settleOutputs(copy)).toMatchObject({ ok: true })
    expect(await treeOf(output)).toEqual({
      ...theirs,
      'a_1_20260101-000000.txt': 'ours a',
      'c.txt': 'ours c',
      'sub/b.txt': 'ours b',
    })
  })

  it('with overwriting, leaves what it replaced for the next copy', async () => {
    const { copy, output } = await gathered(true)
    await publishStaged(copy, now)
    expect(await undoOutputs(copy)).toEqual({ ok: true, removed: [] })
    expect(await readdir(output)).toEqual(['a.txt', 'c.txt', 'sub', 'z.txt'])
  })

  it('to a directory that is gone since, is nothing to take back', async () => {
    const workspace = await preparedWorkspace()
    const copy = { id: 'output_1', directory: workspace.output, overwrite: false }
    expect(await undoOutputs(copy)).toEqual({ ok: true, removed: [] })
    expect(await settleOutputs(copy)).toMatchObject({ ok: true })
  })
})

describe('killed just before every single change on the disk', () => {
  verifies(
    ['safety/I13'],
    'a copy overwrites nothing, shows no half file, and ends before or after once it is repaired',
    async () => {
      const copying = await dyingProgram('outputs-and-die')
      const complete = { ...theirs, 'c.txt': 'ours c', 'sub/b.txt': 'ours b' }
      await untilFinished(async deadline => {
        const workspace = await preparedWorkspace({ inMemory: true })
        const { agentRoot, output } = workspace
        await put(agentRoot, files)
        await put(output, theirs)
        const { finished, stdout } = await copying([agentRoot, output, 'keep'], deadline)
        const visible = Object.entries(await filesIn(output)).filter(([path]) => !path.startsWith('.'))
        for (const [path, content] of visible) {
          const wanted = path.startsWith('a_') ? 'ours a' : complete[path as keyof typeof complete]
          expect([deadline, path, content]).toEqual([deadline, path, wanted])
        }

        const [, copy] = /^intent (.+)$/m.exec(stdout) ?? []
        const isDone = /^done /m.test(stdout)
        if (copy !== undefined) {
          const repaired = await (isDone ? settleOutputs : undoOutputs)(JSON.parse(copy))
          expect(repaired).toMatchObject({ ok: true })
        }
        const { 'a.txt': old, 'z.txt': own, ...rest } = await filesIn(output)
        expect([old, own]).toEqual(['theirs', 'theirs'])
        expect(Object.keys(rest)).toHaveLength(isDone ? 3 : 0)
        if (!finished) tally('kills of a copy', 1)
        return finished
      })
    },
    120_000,
  )

  it('a copy with overwriting shows the old file or the new one, never half of one', async () => {
    const copying = await dyingProgram('outputs-and-die')
    await untilFinished(async deadline => {
      const { agentRoot, output } = await preparedWorkspace({ inMemory: true })
      await put(agentRoot, files)
      await put(output, theirs)
      const { finished, stdout } = await copying([agentRoot, output, 'overwrite'], deadline)
      const [, copy] = /^intent (.+)$/m.exec(stdout) ?? []
      if (copy !== undefined) await undoOutputs(JSON.parse(copy))
      const tree = await filesIn(output)
      expect(Object.keys(tree).filter(path => path.includes('weave'))).toEqual([])
      expect(['theirs', 'ours a']).toContain(tree['a.txt'])
      expect([undefined, 'ours b']).toContain(tree['sub/b.txt'])
      return finished
    })
  }, 120_000)
})
