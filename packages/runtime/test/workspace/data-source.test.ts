import { spawnSync } from 'node:child_process'
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { type DataSourceOptions, repairData } from '../../src/workspace/data-source.ts'
import { type ExecutionLayout, executionLayout } from '../../src/workspace/index.ts'

async function workspace(): Promise<ExecutionLayout> {
  const layout = executionLayout(join(await tempDir(), 'execution'))
  await mkdir(layout.agentRoot, { recursive: true })
  await mkdir(layout.internals)
  return layout
}

async function someData(): Promise<string> {
  const root = join(await tempDir(), 'the data')
  await mkdir(join(root, 'sub/deep'), { recursive: true })
  await writeFile(join(root, 'notes.md'), 'hello')
  await writeFile(join(root, 'sub/deep/run.sh'), '#!/bin/sh\n')
  return root
}

type Wish = Pick<DataSourceOptions, 'data'> & Partial<DataSourceOptions>

const place = (layout: ExecutionLayout, wish: Wish) =>
  repairData({ layout, copy: false, staging: layout.internals, ...wish })

describe('linked data', () => {
  verifies(['d3/data-link'], 'is one link to the directory', async () => {
    const [layout, data] = [await workspace(), await someData()]
    expect(await place(layout, { data })).toMatchObject({ ok: true, linkType: 'symlink' })
    expect(await readlink(layout.dataSource)).toBe(data)
    expect(await readFile(join(layout.dataSource, 'notes.md'), 'utf8')).toBe('hello')
    expect(await readdir(layout.internals)).toEqual([])
  })

  verifies(
    ['d3/data-link-single-file'],
    'that is a file is a real directory with one link of its name',
    async () => {
      const layout = await workspace()
      const data = join(await someData(), 'notes.md')
      expect(await place(layout, { data })).toMatchObject({ ok: true, linkType: 'symlink' })
      expect((await lstat(layout.dataSource)).isDirectory()).toBe(true)
      expect(await readdir(layout.dataSource)).toEqual(['notes.md'])
      expect(await readlink(join(layout.dataSource, 'notes.md'))).toBe(data)
    },
  )

  it('that is right already is left untouched', async () => {
    const layout = await workspace()
    const root = await someData()
    for (const data of [root, join(root, 'notes.md'), undefined]) {
      await place(layout, { data })
      const before = await lstat(layout.dataSource)
      expect(await place(layout, { data })).toMatchObject({ ok: true, notes: [] })
      expect((await lstat(layout.dataSource)).ino).toBe(before.ino)
    }
  })

  it('that leads elsewhere, nowhere or is gone is repaired', async () => {
    const [layout, data] = [await workspace(), await someData()]
    for (const target of ['/', '/no/such/place']) {
      await symlink(target, layout.dataSource)
      expect(await place(layout, { data })).toMatchObject({
        notes: [expect.stringContaining('not what it should be')],
      })
      expect(await readlink(layout.dataSource)).toBe(data)
      spawnSync('rm', [layout.dataSource])
    }
    expect(await place(layout, { data })).toMatchObject({ notes: [expect.stringContaining('was missing')] })
  })

  it('never costs what lies in its place: that is kept aside', async () => {
    const [layout, data] = [await workspace(), await someData()]
    await mkdir(layout.dataSource)
    await writeFile(join(layout.dataSource, 'work of an agent'), 'precious')
    const result = await place(layout, { data })
    expect(result).toMatchObject({
      ok: true,
      notes: [expect.stringContaining('set-aside'), expect.anything()],
    })
    const [kept = ''] = await readdir(join(layout.internals, 'set-aside'))
    expect(await readFile(join(layout.internals, 'set-aside', kept, 'work of an agent'), 'utf8')).toBe(
      'precious',
    )
    expect(await readlink(layout.dataSource)).toBe(data)
  })

  it('that contains the execution is linked with a warning', async () => {
    const layout = await workspace()
    const data = join(layout.dir, '..')
    expect(await place(layout, { data })).toMatchObject({
      ok: true,
      notes: [expect.stringContaining('contains the execution directory'), expect.anything()],
    })
  })

  it('that is missing or no file is a problem, and nothing is made', async () => {
    const layout = await workspace()
    const pipe = join(await tempDir(), 'pipe')
    spawnSync('mkfifo', [pipe])
    expect(await place(layout, { data: '/no/such' })).toEqual({
      ok: false,
      message: 'the data /no/such does not exist',
    })
    expect(await place(layout, { data: pipe })).toMatchObject({ ok: false })
    expect([await readdir(layout.agentRoot), await readdir(layout.internals)]).toEqual([[], []])
  })
})

verifies(['d2/no-data'], 'no data is an empty directory', async () => {
  const layout = await workspace()
  expect(await place(layout, { data: undefined })).toMatchObject({ ok: true, linkType: 'none' })
  const stats = await lstat(layout.dataSource)
  expect([stats.isDirectory(), stats.mode & 0o777]).toEqual([true, 0o700])
  expect(await readdir(layout.dataSource)).toEqual([])
})

describe('copied data', () => {
  it('is the same tree with its permissions and times, and survives the original', async () => {
    const [layout, data] = [await workspace(), await someData()]
    const time = new Date('2020-02-02T02:02:02.000Z')
    await chmod(join(data, 'notes.md'), 0o640)
    await chmod(join(data, 'sub/deep/run.sh'), 0o750)
    await chmod(join(data, 'sub/deep'), 0o555)
    await chmod(join(data, 'sub'), 0o755)
    for (const path of ['notes.md', 'sub/deep/run.sh', 'sub/deep', 'sub'])
      await utimes(join(data, path), time, time)
    expect(await place(layout, { data, copy: true })).toMatchObject({ ok: true, linkType: 'copy' })
    expect((await lstat(layout.dataSource)).isDirectory()).toBe(true)
    for (const [path, mode] of [
      ['notes.md', 0o640],
      ['sub/deep/run.sh', 0o750],
      ['sub/deep', 0o755],
      ['sub', 0o755],
    ] as const) {
      const copy = await stat(join(layout.dataSource, path))
      expect([path, copy.mode & 0o777, copy.mtime]).toEqual([path, mode, time])
    }
    await writeFile(join(data, 'notes.md'), 'changed')
    expect(await readFile(join(layout.dataSource, 'notes.md'), 'utf8')).toBe('hello')
    expect(await place(layout, { data: '/no/longer/there', copy: true })).toMatchObject({
      ok: true,
      notes: [],
    })
  })

  it('that is a file is a directory with that file', async () => {
    const layout = await workspace()
    const data = join(await someData(), 'notes.md')
    expect(await place(layout, { data, copy: true })).toMatchObject({ ok: true })
    expect((await lstat(join(layout.dataSource, 'notes.md'))).isFile()).toBe(true)
  })

  it('holds links that stay inside, and names those that lead out and what is no file', async () => {
    const [layout, data] = [await workspace(), await someData()]
    await symlink('../notes.md', join(data, 'sub/inside'))
    await symlink('/etc/hostname', join(data, 'absolute'))
    await symlink('../../..', join(data, 'sub/out'))
    await symlink('nowhere', join(data, 'dangling'))
    spawnSync('mkfifo', [join(data, 'pipe')])
    const result = await place(layout, { data, copy: true })
    expect(result).toMatchObject({
      ok: true,
      notes: [
        'Not copied, because they are unreadable, lead out of the data or are no files: absolute, dangling, pipe and 1 more.',
        expect.anything(),
      ],
    })
    expect(await readlink(join(layout.dataSource, 'sub/inside'))).toBe('../notes.md')
    expect(await readdir(join(layout.dataSource, 'sub'))).toEqual(['deep', 'inside'])
  })

  it('never contains the execution that it is copied into', async () => {
    const layout = await workspace()
    const data = join(layout.dir, '..')
    await writeFile(join(data, 'file'), 'x')
    expect(await place(layout, { data, copy: true })).toMatchObject({ ok: true })
    expect(await readdir(layout.dataSource)).toEqual(['file'])
  })

  it.each([{ entries: 2 }, { depth: 1 }, { bytes: 6 }])(
    'that is too much (%j) leaves nothing behind',
    async limits => {
      const [layout, data] = [await workspace(), await someData()]
      expect(await place(layout, { data, copy: true, limits })).toMatchObject({
        ok: false,
        message: expect.stringContaining('too much to copy; link it instead'),
      })
      expect([await readdir(layout.agentRoot), await readdir(layout.internals)]).toEqual([[], []])
    },
  )

  it('that a killed process left half done is cleared away', async () => {
    const [layout, data] = [await workspace(), await someData()]
    const { pid } = spawnSync(process.execPath, ['--version'])
    const [dead, live] = [pid, process.pid].map(owner => join(layout.internals, `incoming-${owner}-part_1`))
    await mkdir(join(dead ?? '', 'half'), { recursive: true })
    await mkdir(live ?? '')
    await place(layout, { data, copy: true })
    expect(await readdir(layout.internals)).toEqual([`incoming-${process.pid}-part_1`])
  })
})
