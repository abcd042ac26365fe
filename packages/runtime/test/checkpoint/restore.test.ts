import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import type { RestoreProgress } from '../../src/checkpoint/index.ts'
import { directoriesOf, manifestOf } from './manifest.ts'
import { selectionOf } from './requests.ts'
import { openScene } from './scene.ts'

describe('going back', () => {
  verifies(
    ['d7/rollback-restores', '1/rollback-restores-checkpoint'],
    'brings back content, modes, links, deleted files and directories, and removes what came since',
    async () => {
      const scene = await openScene()
      const at = (path: string) => join(scene.workTree, path)
      scene.write('kept', 'same')
      scene.write('edited', 'before')
      scene.write('tool', 'run', 0o755)
      scene.write('deep/er/deleted', 'back again')
      scene.write('becomes-directory', 'file')
      scene.write('becomes-file/inside', 'directory')
      scene.link('link', 'kept')
      const sha = await scene.create()
      const manifest = manifestOf(scene.workTree)
      const directories = directoriesOf(scene.workTree)
      const untouched = statSync(at('kept')).ino

      scene.write('edited', 'after')
      chmodSync(at('tool'), 0o644)
      rmSync(at('deep'), { recursive: true })
      rmSync(at('becomes-directory'))
      scene.write('becomes-directory/new', 'x')
      rmSync(at('becomes-file'), { recursive: true })
      scene.write('becomes-file', 'x')
      rmSync(at('link'))
      symlinkSync('edited', at('link'))
      scene.write('came/since/file', 'x')
      await scene.create({ runId: 'run_2', parent: sha })

      const plan = await scene.plan(sha)
      expect(plan).toMatchObject({
        create: ['becomes-directory', 'becomes-file/inside', 'deep/er/deleted'],
        change: ['edited', 'link', 'tool'],
        delete: ['becomes-directory/new', 'becomes-file', 'came/since/file'],
        unchanged: 1,
        conflicts: [],
      })
      const told: RestoreProgress[] = []
      const result = await scene.store.performRestore(plan, { onProgress: progress => told.push(progress) })
      expect(result).toEqual({ ok: true, movedAside: [] })
      expect(manifestOf(scene.workTree)).toEqual(manifest)
      expect(directoriesOf(scene.workTree)).toEqual(directories)
      expect(statSync(at('kept')).ino).toBe(untouched)
      expect(told.at(-1)).toEqual({ done: 9, total: 9 })
      expect((await scene.plan(sha)).writes).toEqual([])
      expect((await scene.store.list('run_2')).length).toBe(1)
    },
  )

  test('keeps the permissions that git does not know, where a file takes the place of another', async () => {
    const scene = await openScene()
    scene.write('secret', 'one', 0o600)
    scene.write('group', 'one')
    chmodSync(join(scene.workTree, 'group'), 0o660)
    const sha = await scene.create()
    scene.write('secret', 'two')
    scene.write('group', 'two')
    chmodSync(join(scene.workTree, 'group'), 0o775)
    await scene.restore(sha)
    expect(lstatSync(join(scene.workTree, 'secret')).mode & 0o777).toBe(0o600)
    expect(lstatSync(join(scene.workTree, 'group')).mode & 0o777).toBe(0o664)
  })

  test('restores a file that is too large for memory', async () => {
    const scene = await openScene()
    scene.write('large', Buffer.alloc(9 << 20, 'abc'))
    const sha = await scene.create()
    const manifest = manifestOf(scene.workTree)
    scene.write('large', 'small')
    await scene.restore(sha)
    expect(manifestOf(scene.workTree)).toEqual(manifest)
  })

  test('a small file stays the same file while it changes within its space, and else becomes another', async () => {
    const scene = await openScene()
    const path = join(scene.workTree, 'file')
    const contents = ['short', '', 'long '.repeat(500), 'x'.repeat(70_000), 'to be run']
    const shas: string[] = []
    for (const content of contents) {
      scene.write('file', content)
      chmodSync(path, content === 'to be run' ? 0o755 : 0o644)
      shas.push(await scene.create())
    }
    // From what it is to what it becomes, and whether it can have the same inode.
    const steps = [
      [0, true],
      [4, true],
      [2, true],
      [1, true],
      [2, false],
      [3, false],
      [0, true],
    ] as const
    for (const [to, isSame] of steps) {
      const before = statSync(path)
      await scene.restore(shas[to] ?? '')
      const after = statSync(path)
      expect(readFileSync(path, 'utf8')).toBe(contents[to])
      expect(after.mode & 0o777).toBe(contents[to] === 'to be run' ? 0o755 : 0o644)
      expect(after.ino === before.ino).toBe(isSame)
    }
  })

  test('a file that has another name keeps its content under that', async () => {
    const scene = await openScene({ patterns: ['kept/'] })
    scene.write('kept/file', 'one')
    const sha = await scene.create()
    scene.write('kept/file', 'two')
    linkSync(join(scene.workTree, 'kept/file'), join(scene.workTree, 'other-name'))
    await scene.restore(sha)
    expect(readFileSync(join(scene.workTree, 'other-name'), 'utf8')).toBe('two')
    expect(readFileSync(join(scene.workTree, 'kept/file'), 'utf8')).toBe('one')
  })

  test('a safety checkpoint undoes it', async () => {
    const scene = await openScene()
    scene.write('file', 'one')
    const first = await scene.create()
    scene.write('file', 'two')
    scene.write('unsaved', 'precious')
    const manifest = manifestOf(scene.workTree)
    const safety = await scene.safety()
    await scene.restore(first)
    expect(existsSync(join(scene.workTree, 'unsaved'))).toBe(false)
    await scene.restore(safety, first)
    expect(manifestOf(scene.workTree)).toEqual(manifest)
  })

  test('whatever a restore does away with is in the store, even without a safety checkpoint', async () => {
    const scene = await openScene()
    scene.write('file', 'one')
    const sha = await scene.create()
    scene.write('file', 'never checkpointed')
    await scene.restore(sha)
    expect(scene.git('cat-file', 'blob', 'refs/weave/look:file').toString()).toBe('never checkpointed')
  })

  test('refuses what is no checkpoint', async () => {
    const scene = await openScene()
    const selection = selectionOf(['**'])
    for (const to of ['HEAD', '--help', 'f'.repeat(40), `${await scene.create()}^`])
      expect((await scene.store.planRestore({ to, selection })).ok).toBe(false)
  })
})

describe('what was never checkpointed', () => {
  verifies(
    ['d7/rollback-leaves-other-files'],
    'is neither deleted nor overwritten, and moved aside when it is in the way',
    async () => {
      const scene = await openScene({ patterns: ['kept/'] })
      const other = selectionOf(['other/', 'dir'])
      for (const path of ['other/file', 'other/same', 'dir/deep/file']) scene.write(path, 'checkpointed')
      scene.write('kept/file', 'x')
      const sha = await scene.create({ selection: other, runId: 'run_0' })
      scene.write('other/file', 'of the user')
      scene.write('other/beside', 'of the user')
      rmSync(join(scene.workTree, 'dir'), { recursive: true })
      scene.write('dir', 'a file of the user')
      const plan = await scene.plan(sha)
      expect(plan).toMatchObject({
        create: ['dir/deep/file', 'other/file'],
        delete: ['kept/file'],
        conflicts: ['dir', 'other/file'],
        unchanged: 1,
      })
      const result = await scene.store.performRestore(plan)
      expect(result).toEqual({
        ok: true,
        movedAside: [
          { from: 'dir', to: 'dir.aside' },
          { from: 'other/file', to: 'other/file.aside' },
        ],
      })
      const read = (path: string) => readFileSync(join(scene.workTree, path), 'utf8')
      expect(read('other/file')).toBe('checkpointed')
      expect(read('dir/deep/file')).toBe('checkpointed')
      expect(read('other/file.aside')).toBe('of the user')
      expect(read('other/beside')).toBe('of the user')
      expect(read('dir.aside')).toBe('a file of the user')
    },
  )

  test('is moved to a name where the restore neither takes a file from nor puts one', async () => {
    const scene = await openScene({ patterns: ['*.aside', '*.aside-3/'] })
    const other = selectionOf(['spot', 'spot.aside-2', 'spot.aside-3/'])
    scene.write('spot', 'checkpointed')
    scene.write('spot.aside-2', 'checkpointed')
    scene.write('spot.aside-3/file', 'checkpointed')
    const sha = await scene.create({ selection: other, runId: 'run_0' })
    for (const path of ['spot.aside-2', 'spot.aside-3'])
      rmSync(join(scene.workTree, path), { recursive: true })
    scene.write('spot', 'of the user')
    scene.write('spot.aside', 'goes')
    const safety = await scene.safety()
    expect(await scene.restore(sha)).toEqual([{ from: 'spot', to: 'spot.aside-4' }])
    expect(await scene.restore(safety, sha)).toEqual([])
    const read = (path: string) => readFileSync(join(scene.workTree, path), 'utf8')
    expect([read('spot.aside'), read('spot.aside-4')]).toEqual(['goes', 'of the user'])
  })

  test('a directory with such files in it is moved aside whole; one without is replaced', async () => {
    const scene = await openScene({ patterns: ['*.md', 'spot', 'place'] })
    scene.write('spot', 'file')
    scene.write('place', 'file')
    const sha = await scene.create()
    for (const path of ['spot', 'place']) rmSync(join(scene.workTree, path))
    scene.write('spot/tracked.md', 'x')
    scene.write('place/in/tracked.md', 'x')
    mkdirSync(join(scene.workTree, 'place/in/empty'))
    const narrow = selectionOf(['*.md'])
    scene.write('spot/untracked', 'x')
    const planned = await scene.store.planRestore({ to: sha, selection: narrow })
    if (!planned.ok) throw new Error(planned.message)
    expect(planned.plan.conflicts).toEqual(['spot'])
    expect((await scene.store.performRestore(planned.plan)).ok).toBe(true)
    expect(readdirSync(scene.workTree).sort()).toEqual(['place', 'spot', 'spot.aside'])
    expect(readdirSync(join(scene.workTree, 'spot.aside'))).toEqual(['untracked'])
  })

  test('undoing a restore also takes back what it put outside the selection', async () => {
    const scene = await openScene({ patterns: ['kept/'] })
    scene.write('other/file', 'x')
    const sha = await scene.create({ selection: selectionOf(['other/']), runId: 'run_0' })
    rmSync(join(scene.workTree, 'other'), { recursive: true })
    scene.write('kept/file', 'x')
    const manifest = manifestOf(scene.workTree)
    const safety = await scene.safety()
    await scene.restore(sha)
    expect([...manifestOf(scene.workTree).keys()]).toEqual(['other/file'])
    expect((await scene.plan(sha)).writes).toEqual([])
    await scene.restore(safety, sha)
    expect(manifestOf(scene.workTree)).toEqual(manifest)
    expect(directoriesOf(scene.workTree)).toEqual(['kept'])
  })
})

test('the unfinished file of a restore that was killed is gone after the next start', async () => {
  const scene = await openScene({ patterns: ['kept/'] })
  scene.write('other/.weave-restore-file_1', 'half a fi')
  scene.write('.weave-restore-file_2', 'half a fi')
  scene.write('other/file', 'x')
  scene.write('elsewhere/.weave-restore-file_3', 'nobody said that this is ours')
  writeFileSync(join(scene.gitDir, 'weave-restore.json'), JSON.stringify(['', 'other', 'missing', '../..']))
  await scene.store.close()
  await scene.reopen()
  expect([...manifestOf(scene.workTree).keys()]).toEqual(['elsewhere/.weave-restore-file_3', 'other/file'])
})

describe('an agent that is still at work', () => {
  test('a file that changes between the plan and the deed is left alone', async () => {
    const scene = await openScene()
    scene.write('edited', 'one')
    const sha = await scene.create()
    for (const path of ['edited', 'new']) {
      scene.write('edited', 'two')
      scene.write('new', 'two')
      const plan = await scene.plan(sha)
      scene.write(path, 'in the meantime')
      const result = await scene.store.performRestore(plan)
      expect(result).toMatchObject({ ok: false })
      expect(readFileSync(join(scene.workTree, path), 'utf8')).toBe('in the meantime')
    }
    await scene.restore(sha)
    expect([...manifestOf(scene.workTree).keys()]).toEqual(['edited'])
  })

  test('nothing is written or removed through a link that was planted meanwhile', async () => {
    const scene = await openScene()
    const outside = join(dirname(scene.workTree), 'outside')
    mkdirSync(outside)
    scene.write('dir/file', 'one')
    const sha = await scene.create()
    scene.write('dir/file', 'two')
    scene.write('dir/new', 'two')
    const plan = await scene.plan(sha)
    for (const name of ['file', 'new']) writeFileSync(join(outside, name), 'precious')
    renameSync(join(scene.workTree, 'dir'), join(scene.workTree, 'away'))
    symlinkSync(outside, join(scene.workTree, 'dir'))
    expect(await scene.store.performRestore(plan)).toMatchObject({ ok: false })
    expect(readdirSync(outside).map(name => readFileSync(join(outside, name), 'utf8'))).toEqual([
      'precious',
      'precious',
    ])

    // A new plan takes the link for what it is.
    await scene.restore(sha)
    expect([...manifestOf(scene.workTree).keys()]).toEqual(['dir/file'])
    expect(readdirSync(outside)).toEqual(['file', 'new'])
  })

  test('a link that is in no checkpoint and stands in the way is moved, not followed', async () => {
    const scene = await openScene({ patterns: ['a/'] })
    const outside = join(dirname(scene.workTree), 'outside')
    mkdirSync(outside)
    scene.write('b/file', 'x')
    const sha = await scene.create({ selection: selectionOf(['b/']), runId: 'run_0' })
    rmSync(join(scene.workTree, 'b'), { recursive: true })
    symlinkSync(outside, join(scene.workTree, 'b'))
    expect(await scene.restore(sha)).toEqual([{ from: 'b', to: 'b.aside' }])
    expect(readlinkSync(join(scene.workTree, 'b.aside'))).toBe(outside)
    expect(readdirSync(outside)).toEqual([])
    expect(readFileSync(join(scene.workTree, 'b/file'), 'utf8')).toBe('x')
  })

  test('stopped half-way it can be finished', async () => {
    const scene = await openScene()
    for (let index = 0; index < 300; index++) scene.write(`f/${index}`, 'one')
    const sha = await scene.create()
    const manifest = manifestOf(scene.workTree)
    for (let index = 0; index < 300; index++) scene.write(`f/${index}`, 'two')
    const stop = new AbortController()
    const plan = await scene.plan(sha)
    const stopped = scene.store.performRestore(plan, {
      signal: stop.signal,
      onProgress: () => stop.abort(new Error('enough')),
    })
    await expect(stopped).rejects.toThrow('enough')
    expect(readdirSync(join(scene.workTree, 'f')).length).toBe(300)
    expect(manifestOf(scene.workTree)).not.toEqual(manifest)
    await scene.restore(sha)
    expect(manifestOf(scene.workTree)).toEqual(manifest)
  })
})
