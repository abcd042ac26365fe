import { link, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ArchivePlan, performArchive, restoreArchived } from '../../src/effects/index.ts'
import type { ExecutionLayout } from '../../src/workspace/index.ts'
import { dyingProgram, untilFinished } from '../workspace/dying-program.ts'
import { preparedWorkspace, put, treeOf } from '../workspace/prepared-workspace.ts'
import { entriesOf, planned } from './archive-runs.ts'

const files = { 'src/a.txt': 'a', 'src/deep/b.txt': 'b', 'keep.txt': 'k' }
const before = { ...files, 'src/link': '-> /nowhere' }
const archive = { 'draft/src/a.txt': 'a', 'draft/src/deep/b.txt': 'b', 'draft/src/link': '-> /nowhere' }

async function prepared(): Promise<{ layout: ExecutionLayout; plan: ArchivePlan; planFile: string }> {
  const { layout } = await preparedWorkspace({ inMemory: true })
  await put(layout.agentRoot, { ...files, 'src/link': { link: '/nowhere' } })
  const plan = await planned(layout, ['src/'])
  const planFile = join(layout.internals, 'plan.json')
  await writeFile(planFile, JSON.stringify(plan))
  return { layout, plan, planFile }
}

const archiveTree = (layout: ExecutionLayout) => treeOf(layout.rigArchive).catch(() => ({}))

/** Every planned file is whole in one of its two places, and the manifest names both as soon as one is the archive. */
async function expectNothingLost(layout: ExecutionLayout, plan: ArchivePlan): Promise<void> {
  const there: Record<string, string> = await treeOf(layout.agentRoot)
  const kept: Record<string, string> = await archiveTree(layout)
  const known = new Set((await entriesOf(layout)).map(entry => entry.to))
  for (const { from, to } of plan.entries) {
    const wanted = before[from as keyof typeof before]
    expect([there[from], kept[to]]).toContain(wanted)
    for (const content of [there[from], kept[to]]) expect([wanted, undefined]).toContain(content)
    if (kept[to] !== undefined) expect(known).toContain(to)
  }
  expect(there['keep.txt']).toBe('k')
}

async function expectArchived(layout: ExecutionLayout): Promise<void> {
  expect(await treeOf(layout.agentRoot)).toEqual({ 'keep.txt': 'k' })
  expect(await archiveTree(layout)).toEqual(archive)
  expect((await entriesOf(layout)).map(entry => entry.state)).toEqual(['archived', 'archived', 'archived'])
}

async function expectRestored(layout: ExecutionLayout): Promise<void> {
  expect(await treeOf(layout.agentRoot)).toEqual(before)
  expect(await archiveTree(layout)).toEqual({})
  expect(await entriesOf(layout)).toEqual([])
}

describe('killed just before every single change on the disk', () => {
  it.each(['finished', 'undone'])(
    'an archive loses nothing and can be %s',
    async how => {
      const archiving = await dyingProgram('archive-and-die')
      await untilFinished(async deadline => {
        const { layout, plan, planFile } = await prepared()
        const { finished } = await archiving(['perform', layout.dir, planFile], deadline)
        await expectNothingLost(layout, plan)
        if (how === 'finished') {
          expect(await performArchive(layout, plan)).toMatchObject({ ok: true, vanished: [] })
          await expectArchived(layout)
        } else {
          expect(await restoreArchived(layout, plan.entries)).toMatchObject({
            ok: true,
            kept: [],
            missing: [],
          })
          await expectRestored(layout)
        }
        return finished
      })
    },
    120_000,
  )

  it('a restore loses nothing and can be finished', async () => {
    const archiving = await dyingProgram('archive-and-die')
    await untilFinished(async deadline => {
      const { layout, plan, planFile } = await prepared()
      await performArchive(layout, plan)
      const { finished } = await archiving(['restore', layout.dir, planFile], deadline)
      await expectNothingLost(layout, plan)
      expect(await restoreArchived(layout, plan.entries)).toMatchObject({ ok: true, kept: [], missing: [] })
      await expectRestored(layout)
      return finished
    })
  }, 120_000)
})

describe('a file in both places', () => {
  it('that is one file under two names leaves the workspace when the archive is finished', async () => {
    const { layout, plan } = await prepared()
    await put(layout.rigArchive, { 'draft/src/': '' })
    await link(join(layout.agentRoot, 'src/a.txt'), join(layout.rigArchive, 'draft/src/a.txt'))
    expect(await performArchive(layout, plan)).toMatchObject({ ok: true })
    await expectArchived(layout)
  })

  it('that is two files, because a new one came, keeps both', async () => {
    const { layout, plan } = await prepared()
    await put(layout.rigArchive, { 'draft/src/a.txt': 'a' })
    await put(layout.agentRoot, { 'src/a.txt': 'newer' })
    expect(await performArchive(layout, plan)).toMatchObject({ ok: true })
    expect(await treeOf(layout.agentRoot)).toEqual({ 'keep.txt': 'k', 'src/a.txt': 'newer' })
    expect(await treeOf(layout.rigArchive)).toEqual(archive)
  })
})
