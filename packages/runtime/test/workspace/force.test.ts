import { readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { listing } from './open-scene.ts'
import { usedExecution } from './used-execution.ts'

const backup = '.weave.backup-20260304-050607'

describe('starting anew in a directory that has an execution', () => {
  verifies(['d2/force-required'], 'is refused without force, and nothing is touched', async () => {
    const { fail, anew, layout } = await usedExecution()
    const before = await listing(layout.dir)
    expect(await fail(anew)).toMatchObject({
      code: 'needs-force',
      path: layout.dir,
      cure: expect.stringContaining('--force'),
    })
    expect(await listing(layout.dir)).toEqual(before)
  })

  verifies(
    ['d2/force-keeps-backup', 'd2/force-empties-workspace'],
    'with force keeps the old .weave/ with the archives, empties the workspace, and deletes nothing outside of it',
    async () => {
      const { open, anew, layout, data, home } = await usedExecution()
      const result = await open({ ...anew, force: true, hankHash: 'h2' })
      expect([result.kind, result.executionFile.hankHash]).toEqual(['created', 'h2'])
      expect(result.notes).toEqual([`The earlier .weave/ is kept as ${join(layout.dir, backup)}.`])
      expect(await readdir(layout.dir)).toEqual(['.weave', backup, 'agentRoot'])
      expect(await readdir(layout.agentRoot)).toEqual(['read_only_data_source'])
      expect(await readdir(layout.internals)).toEqual(['execution.json'])
      expect(await readdir(join(layout.dir, backup))).toEqual(['execution.json', 'rigArchive', 'state.json'])
      expect(await readFile(join(layout.dir, backup, 'rigArchive/draft/old.md'), 'utf8')).toBe('archived')
      expect(await readFile(join(data, 'notes.md'), 'utf8')).toBe('hello')
      expect(await readdir(home)).toEqual(['data', 'mine'])
      expect((await open({ execution: layout.dir, hankHash: 'h2' })).kind).toBe('resumed')
    },
  )

  it('with force but without wiping leaves the files of the workspace', async () => {
    const { open, anew, layout, data } = await usedExecution()
    expect((await open({ ...anew, force: true, wipe: false, copy: true })).kind).toBe('created')
    expect(await readdir(layout.agentRoot)).toEqual(['out', 'read_only_data_source', 'src'])
    expect(await listing(layout.dataSource)).toEqual(['notes.md f 644'])
    expect((await open({ ...anew, force: true, wipe: false })).executionFile.dataPath).toBe(data)
    expect(await readFile(join(layout.agentRoot, 'src/work.ts'), 'utf8')).toBe('work')
    expect(await readdir(layout.dir)).toEqual(['.weave', backup, `${backup}-2`, 'agentRoot'])
    expect(await readdir(join(layout.internals, 'set-aside'))).toHaveLength(1)
  })

  it('does not touch the old one when the new data cannot be had', async () => {
    const { fail, anew, layout } = await usedExecution()
    const before = await listing(layout.dir)
    expect(await fail({ ...anew, force: true, data: '/no/such' })).toMatchObject({ code: 'data' })
    expect(await listing(layout.dir)).toEqual(before)
  })

  it('does not go through a workspace that leads elsewhere', async () => {
    const { open, fail, anew, layout, home } = await usedExecution()
    const elsewhere = join(home, 'elsewhere')
    await rename(layout.agentRoot, elsewhere)
    await symlink(elsewhere, layout.agentRoot)
    const before = await listing(elsewhere)
    expect(await fail({ ...anew, force: true, wipe: false })).toMatchObject({ code: 'damaged' })
    expect((await open({ ...anew, force: true })).kind).toBe('created')
    expect(await readdir(layout.agentRoot)).toEqual(['read_only_data_source'])
    expect(await listing(elsewhere)).toEqual(before)
  })

  it('is the way out of a damaged execution.json', async () => {
    const { open, anew, layout } = await usedExecution()
    await writeFile(layout.executionFile, 'damaged')
    expect((await open({ ...anew, force: true })).kind).toBe('created')
    expect(await readFile(join(layout.dir, backup, 'execution.json'), 'utf8')).toBe('damaged')
  })
})

describe('setting aside that was cut short', () => {
  it('before the old .weave/ was moved is undone by the next start', async () => {
    const { open, layout, anew } = await usedExecution()
    const before = await listing(layout.agentRoot)
    await rename(layout.agentRoot, join(layout.internals, 'wiped-workspace'))
    await rename(layout.rigArchive, join(layout.internals, 'rigArchive'))
    expect((await open({ execution: layout.dir })).kind).toBe('resumed')
    expect(await listing(layout.agentRoot)).toEqual(before)
    expect(await readdir(layout.rigArchive)).toEqual(['draft'])
    await rename(layout.agentRoot, join(layout.internals, 'wiped-workspace'))
    expect((await open({ ...anew, force: true })).kind).toBe('created')
    expect(await readdir(layout.agentRoot)).toEqual(['read_only_data_source'])
  })

  it('after that is a directory that may be used', async () => {
    const { open, layout } = await usedExecution()
    await rename(layout.rigArchive, join(layout.internals, 'rigArchive'))
    await rename(layout.agentRoot, join(layout.internals, 'wiped-workspace'))
    await rename(layout.internals, join(layout.dir, backup))
    expect((await open({ execution: layout.dir })).kind).toBe('created')
    expect(await readdir(layout.dir)).toEqual(['.weave', backup, 'agentRoot'])
  })

  it('with a workspace that was to stay is told with both ways out', async () => {
    const { open, fail, layout, anew } = await usedExecution()
    await rename(layout.rigArchive, join(layout.internals, 'rigArchive'))
    await rename(layout.internals, join(layout.dir, backup))
    for (const flags of [{ execution: layout.dir }, anew, { ...anew, force: true }])
      expect(await fail(flags)).toMatchObject({
        code: 'set-back',
        cure: expect.stringMatching(/--no-wipe.*renaming/),
      })
    expect((await open({ ...anew, force: true, wipe: false })).kind).toBe('created')
    expect(await readFile(join(layout.agentRoot, 'src/work.ts'), 'utf8')).toBe('work')
  })
})
