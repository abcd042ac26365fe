import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { acquireLock, readExecutionFile } from '../../src/workspace/index.ts'
import { listing, openScene } from './open-scene.ts'

describe('a new execution', () => {
  verifies(
    ['2.8/execution-base-dir-used', 'd3/directory-name', 'd3/execution-file', 'd3/internals-out-of-sight'],
    'is a private directory under the base with workspace, data and execution.json, and nothing else',
    async () => {
      const { base, data, open, home } = await openScene()
      const { kind, layout, executionFile, hankChanged, notes } = await open()
      expect([kind, hankChanged, notes]).toEqual(['created', false, []])
      expect(dirname(layout.dir)).toBe(base)
      const short = executionFile.dataHash.slice(0, 6)
      expect(basename(layout.dir)).toBe(`my-hank-20260304-050607-${short}`)
      expect(await listing(base)).toEqual(
        [
          `${basename(layout.dir)} d 700`,
          `${basename(layout.dir)}/.weave d 700`,
          `${basename(layout.dir)}/.weave/execution.json f 600`,
          `${basename(layout.dir)}/agentRoot d 700`,
          `${basename(layout.dir)}/agentRoot/read_only_data_source l 777`,
        ].sort(),
      )
      expect(await readlink(layout.dataSource)).toBe(data)
      expect(await readExecutionFile(layout.executionFile)).toEqual({ kind: 'read', file: executionFile })
      expect(executionFile).toEqual({
        version: 1,
        hankPath: join(home, 'hank.json'),
        hankHash: 'h1',
        hankName: 'My Hank',
        dataPath: data,
        dataHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        linkType: 'symlink',
        createdAt: '2026-03-04T05:06:07.000Z',
        lastUsed: '2026-03-04T05:06:07.000Z',
        weaveVersion: '0.10.0',
        node: process.version,
        platform: process.platform,
      })
    },
  )

  it('gets a number when its name is taken', async () => {
    const { open } = await openScene()
    const names = [await open(), await open({ startNew: true }), await open({ startNew: true })]
    const [first = ''] = names.map(({ layout }) => basename(layout.dir))
    expect(names.map(({ layout }) => basename(layout.dir))).toEqual([first, `${first}-2`, `${first}-3`])
  })

  it('is made once each by twenty that start at the same moment', async () => {
    const { open, base } = await openScene()
    const all = await Promise.all(Array.from({ length: 20 }, () => open({ startNew: true })))
    expect(new Set(all.map(({ layout }) => layout.dir)).size).toBe(20)
    expect(await readdir(base)).toHaveLength(20)
  })

  it('has its own copy of the data when that is wanted', async () => {
    const { open } = await openScene()
    const { layout, executionFile } = await open({ copy: true })
    expect(executionFile.linkType).toBe('copy')
    expect(await listing(layout.dataSource)).toEqual(['notes.md f 644'])
  })

  it('leaves nothing behind when the data cannot be had', async () => {
    const { open, fail, base, home } = await openScene()
    await open()
    const data = join(home, 'no such data')
    expect(await fail({ data, startNew: true })).toMatchObject({ code: 'data', path: data })
    expect(await readdir(base)).toHaveLength(1)
    expect(await fail({ data, execution: join(home, 'mine') })).toMatchObject({ code: 'data' })
    expect(await readdir(home)).toEqual(['data', 'executions'])
  })

  it('on a base that is a file is a problem with a cure', async () => {
    const { fail, base } = await openScene()
    await writeFile(base, '')
    expect(await fail()).toMatchObject({ code: 'disk', cure: expect.stringContaining('executionBaseDir') })
  })
})

describe('a start', () => {
  verifies(['d3/resume-newest'], 'resumes the newest execution of the same hank and data', async () => {
    const { open, clock, data } = await openScene()
    await open()
    await clock.advance(1_000)
    const newest = await open({ startNew: true })
    await clock.advance(1_000)
    await open({ hankPath: '/another/hank.json' })
    await open({ data: undefined })
    await open({ execution: join(dirname(data), 'elsewhere') })
    await clock.advance(1_000)
    const again = await open()
    expect([again.kind, again.layout.dir]).toEqual(['resumed', newest.layout.dir])
    expect(again.executionFile).toEqual({ ...newest.executionFile, lastUsed: '2026-03-04T05:06:10.000Z' })
    expect(await readExecutionFile(again.layout.executionFile)).toEqual({
      kind: 'read',
      file: again.executionFile,
    })
  })

  it('with changed data makes a new one', async () => {
    const { open, data } = await openScene()
    await open()
    await writeFile(join(data, 'more.md'), 'x')
    expect((await open()).kind).toBe('created')
  })

  it('says that the hank has changed', async () => {
    const { open } = await openScene()
    await open()
    expect(await open({ hankHash: 'h2' })).toMatchObject({ kind: 'resumed', hankChanged: true })
    expect(await open({ hankHash: 'h1' })).toMatchObject({ kind: 'resumed', hankChanged: false })
  })

  verifies(
    ['d13/not-resumed-by-real', 'd13/real-not-resumed'],
    'never goes on with a rehearsal, nor a rehearsal with a real run, by itself or when told to',
    async () => {
      const { open, fail } = await openScene()
      const rehearsal = await open({ rehearsal: true })
      const real = await open()
      expect([rehearsal.kind, real.kind]).toEqual(['created', 'created'])
      expect((await open({ rehearsal: true })).layout.dir).toBe(rehearsal.layout.dir)
      expect((await open()).layout.dir).toBe(real.layout.dir)
      expect(await fail({ execution: rehearsal.layout.dir })).toMatchObject({ code: 'rehearsal' })
      expect(await fail({ execution: real.layout.dir, rehearsal: true })).toMatchObject({ code: 'rehearsal' })
    },
  )

  it('on data too large to hash resumes by the path, and says that it cannot tell', async () => {
    const { open } = await openScene()
    const first = await open({ dataHash: 'partial:111111' })
    const again = await open({ dataHash: 'partial:222222' })
    expect([again.kind, again.layout.dir]).toEqual(['resumed', first.layout.dir])
    expect(again.notes).toEqual([expect.stringContaining('--start-new')])
    expect((await open({ dataHash: 'partial:333333', data: dirname(first.layout.dir) })).kind).toBe('created')
  })

  verifies(['d3/lock-holder-named'], 'on an execution that a server holds says who it is', async () => {
    const { open, fail, clock } = await openScene()
    const { layout } = await open()
    const { lockFile } = layout
    const taken = await acquireLock({ lockFile, runId: 'r', clock, port: 4711, onLost: () => undefined })
    expect(await fail()).toMatchObject({
      code: 'held',
      message: expect.stringContaining(`process ${process.pid} (port 4711)`),
      cure: expect.stringContaining('weave attach'),
      holder: { pid: process.pid, port: 4711 },
    })
    expect(await fail({ execution: layout.dir, startNew: true, force: true })).toMatchObject({ code: 'held' })
    if (taken.kind === 'acquired') taken.lock.release()
    expect((await open()).kind).toBe('resumed')
  })

  it('repairs the link, also to where the same data is now', async () => {
    const { open, data, fail } = await openScene()
    const { layout } = await open()
    await rm(layout.dataSource)
    expect((await open()).notes).toEqual([expect.stringContaining('repaired')])
    await rename(data, `${data}-moved`)
    expect(await fail({ execution: layout.dir, data: undefined })).toMatchObject({
      code: 'data',
      message: `the data ${data} does not exist`,
      cure: expect.stringContaining(`-e ${layout.dir}`),
    })
    const moved = await open({ data: `${data}-moved` })
    expect([moved.kind, moved.executionFile.dataPath]).toEqual(['resumed', `${data}-moved`])
    expect(await readlink(layout.dataSource)).toBe(`${data}-moved`)
  })

  it('does not forget an execution whose file is damaged: it is named with its cure', async () => {
    const { open, fail } = await openScene()
    const { layout } = await open()
    await writeFile(layout.executionFile, '{"version": 1,')
    const other = await open()
    expect(other.kind).toBe('created')
    expect(other.notes).toEqual([expect.stringContaining(`${layout.dir} was not considered`)])
    expect(other.notes[0]).toContain(`-e ${layout.dir}`)
    expect(await fail({ execution: layout.dir })).toMatchObject({ code: 'damaged' })
    await rm(layout.executionFile)
    expect(await fail({ execution: layout.dir })).toMatchObject({ code: 'damaged' })
  })

  it('refuses a workspace that leads elsewhere', async () => {
    const { open, fail, home } = await openScene()
    const { layout } = await open()
    await rm(layout.agentRoot, { recursive: true })
    expect(await fail()).toMatchObject({ code: 'damaged', path: layout.agentRoot })
    await symlink(home, layout.agentRoot)
    expect(await fail()).toMatchObject({ code: 'damaged', path: layout.agentRoot })
  })
})

describe('a named directory', () => {
  it('is made, with those above it, and resumed the next time', async () => {
    const { open, home } = await openScene()
    const execution = join(home, 'deep', 'down', 'mine')
    const first = await open({ execution })
    expect([first.kind, first.layout.dir]).toEqual(['created', execution])
    const again = await open({ execution, data: undefined })
    expect([again.kind, again.executionFile.dataPath]).toEqual(['resumed', first.executionFile.dataPath])
    const made = (await listing(join(home, 'deep'))).filter(line => line.includes(' d '))
    expect(made.filter(line => !line.endsWith('700'))).toEqual([])
  })

  it('that exists and is empty is used as it is', async () => {
    const { open, home } = await openScene()
    const execution = join(home, 'empty')
    await mkdir(execution, { mode: 0o750 })
    expect((await open({ execution })).kind).toBe('created')
    expect(await listing(home)).toContain('empty d 750')
  })

  it('is made once by ten that start at the same moment', async () => {
    const { open, home } = await openScene()
    const execution = join(home, 'one')
    const all = await Promise.all(Array.from({ length: 10 }, () => open({ execution })))
    expect(all.filter(({ kind }) => kind === 'created')).toHaveLength(1)
    expect(await readdir(execution)).toEqual(['.weave', 'agentRoot'])
    expect(await readdir(join(execution, '.weave'))).toEqual(['execution.json'])
  })

  it('that a killed creation left unfinished is finished', async () => {
    const { open, home } = await openScene()
    const execution = join(home, 'unfinished')
    const { pid } = spawnSync(process.execPath, ['--version'])
    await mkdir(join(execution, `.weave.new-${pid}-part_1`, 'incoming-1-part_2'), { recursive: true })
    await mkdir(join(execution, 'agentRoot'))
    expect((await open({ execution })).kind).toBe('created')
    expect(await readdir(execution)).toEqual(['.weave', 'agentRoot'])
  })

  it('with things of somebody else in it is refused, whatever the flags', async () => {
    const { fail, home, data } = await openScene()
    const mine = join(home, 'project')
    await mkdir(join(mine, 'agentRoot'), { recursive: true })
    await writeFile(join(mine, 'agentRoot', 'thesis.tex'), 'years')
    const flags = [{}, { startNew: true }, { startNew: true, force: true }]
    for (const flag of flags)
      expect(await fail({ execution: mine, ...flag })).toMatchObject({ code: 'foreign', path: mine })
    for (const execution of [data, join(data, 'notes.md')])
      expect(await fail({ execution, startNew: true, force: true })).toMatchObject({ code: 'foreign' })
    expect(await readFile(join(mine, 'agentRoot', 'thesis.tex'), 'utf8')).toBe('years')
  })
})
