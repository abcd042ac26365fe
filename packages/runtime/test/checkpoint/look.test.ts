import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { fixtureProgram } from '../../../../test/support/fixture-program.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { checkpointManifest, manifestOf, selected } from './manifest.ts'
import { ordinary, selectionOf } from './requests.ts'
import { openScene, type Scene } from './scene.ts'

const manyFiles = 1_050

function fill(scene: Scene, files = manyFiles): void {
  for (let index = 0; index < files; index++) scene.write(`many/${index % 7}/${index}`, `${index}`)
}

async function expectEqual(scene: Scene): Promise<void> {
  const sha = await scene.create()
  expect(checkpointManifest(scene, sha)).toEqual(manifestOf(scene.workTree))
}

test('finds every kind of change among many files, where git looks for us', async () => {
  const scene = await openScene()
  const at = (path: string) => join(scene.workTree, path)
  fill(scene)
  await expectEqual(scene)
  await untilSettled(scene, 'many/0/0')
  await expectEqual(scene)
  while (!existsSync(join(scene.gitDir, 'weave-index'))) await setTimeout(1)

  const changes = [
    () => scene.write('many/3/3', 'edited'),
    () => rmSync(at('many/4/4')),
    () => scene.write('many/4/new', 'in a known directory'),
    () => scene.write('many/0/deep/er/new', 'in a new directory'),
    () => scene.write('many/0/deep/er/new', 'edited'),
    () => renameSync(at('many/5'), at('renamed')),
    () => chmodSync(at('many/6/6'), 0o755),
    () => symlinkSync('x', at('many/6/link')),
    () => rmSync(at('many/6/link')),
    () => {
      renameSync(at('many/1'), at('gone-away'))
      symlinkSync('gone-away', at('many/1'))
    },
    () => {
      rmSync(at('many/2/2'))
      mkdirSync(at('many/2/2'))
      writeFileSync(at('many/2/2/inner'), 'a file became a directory')
    },
    () => {
      rmSync(at('many/2/2'), { recursive: true })
      writeFileSync(at('many/2/2'), 'and a file again')
    },
    () => rmSync(at('many/0'), { recursive: true }),
    () => {
      copyFileSync(at('many/3/3'), at('many/3/10'))
      renameSync(at('many/3/17'), at('many/3/24'))
    },
    () => undefined,
  ]
  for (const change of changes) {
    change()
    await expectEqual(scene)
  }
  expect((await scene.store.check()).ok).toBe(true)
})

test('sees a second change within the second in which the index file was written', async () => {
  const scene = await openScene()
  fill(scene)
  const write = (content: string) => {
    scene.write('racy', content)
    utimesSync(join(scene.workTree, 'racy'), 1_000_000, 1_000_000)
  }
  write('one')
  await untilSettled(scene, 'racy')
  write('one')
  await scene.create()
  while (!existsSync(join(scene.gitDir, 'weave-index'))) await setTimeout(1)
  write('two')
  const sha = await scene.create()
  expect(scene.git('cat-file', 'blob', `${sha}:racy`).toString()).toBe('two')
})

test('sees what a wider or another selection brings in', async () => {
  const scene = await openScene()
  fill(scene)
  scene.write('other/file', 'x')
  for (const patterns of [['many/1'], ['many/1', 'many/2'], ['other'], ['**']]) {
    const selection = selectionOf(patterns)
    for (let again = 0; again < 2; again++) {
      const sha = await scene.create({ selection })
      expect(checkpointManifest(scene, sha)).toEqual(selected(manifestOf(scene.workTree), selection))
    }
  }
})

test('reads a file that has not changed only once, also after a restart', async () => {
  const scene = await openScene()
  for (let index = 0; index < 40; index++) scene.write(`f${index}`, Buffer.alloc(100_000, index))
  const first = await runOnce(dirname(scene.workTree))
  await untilSettled(scene, 'f39')
  const second = await runOnce(dirname(scene.workTree))
  const third = await runOnce(dirname(scene.workTree))
  expect(first.bytes).toBeGreaterThan(4_000_000)
  expect(second.created).toMatchObject({ ok: true, files: 40 })
  expect(third.bytes).toBeLessThan(1_000_000)
})

test('is only slower when what it remembers is damaged, stale or gone', async () => {
  const scene = await openScene()
  scene.write('file', 'one')
  scene.write('other', 'one')
  await scene.create()
  await scene.store.close()
  const index = join(scene.gitDir, 'weave-index')
  const stale = spawnSync('cat', [index]).stdout
  const damages = [
    () => rmSync(index, { force: true }),
    () => writeFileSync(index, ''),
    () => writeFileSync(index, stale.subarray(0, 40)),
    () => writeFileSync(index, Buffer.from(stale).fill(7, 60, 70)),
    () => writeFileSync(index, stale),
  ]
  for (const [round, damage] of damages.entries()) {
    scene.write('file', `round ${round}`)
    damage()
    const store = await scene.reopen()
    const created = await store.create({ ...ordinary, selection: selectionOf(['**']) })
    if (!created.ok) throw new Error(created.message)
    expect(checkpointManifest(scene, created.sha)).toEqual(manifestOf(scene.workTree))
    await store.close()
  }
  expect((await scene.store.check()).ok).toBe(true)
})

test('makes the checkpoint without a file that cannot be read, keeps its last version, and says so', async () => {
  const base = await tempDir()
  const nobody = process.getuid?.() === 0 ? 65_534 : undefined
  const workTree = join(base, 'agentRoot')
  const own = (path: string) => nobody !== undefined && chownSync(path, nobody, nobody)
  for (const path of [workTree, join(workTree, 'closed')]) mkdirSync(path)
  const put = (path: string, content: string) => {
    writeFileSync(join(workTree, path), content)
    own(join(workTree, path))
  }
  put('open', '1')
  put('known', 'last version')
  put('closed/inside', 'last version')
  for (const path of [base, workTree, join(workTree, 'closed')]) own(path)
  expect((await runOnce(base, { uid: nobody })).created).toMatchObject({ ok: true, files: 3, notes: [] })

  put('known', 'unreadable version')
  put('new', 'never readable')
  for (const path of ['known', 'new', 'closed']) chmodSync(join(workTree, path), 0o000)
  const { created } = await runOnce(base, { uid: nobody })
  chmodSync(join(workTree, 'closed'), 0o755)
  expect(created).toMatchObject({ ok: true, files: 3 })
  expect(created.notes?.map(note => [note.kind, note.path]).sort()).toEqual([
    ['unreadable', 'closed'],
    ['unreadable', 'known'],
    ['unreadable', 'new'],
  ])
  const listed = spawnSync('git', [
    '--git-dir',
    join(base, 'checkpoints'),
    '-c',
    'safe.directory=*',
    'show',
    `${created.sha}:known`,
  ])
  expect(listed.stdout.toString()).toBe('last version')

  for (const path of ['known', 'new']) chmodSync(join(workTree, path), 0o644)
  expect((await runOnce(base, { uid: nobody })).created).toMatchObject({ ok: true, files: 4, notes: [] })
})

test('finds a new file once it can be read, also among many files', async () => {
  const base = await tempDir()
  const nobody = process.getuid?.() === 0 ? 65_534 : undefined
  const workTree = join(base, 'agentRoot')
  mkdirSync(join(workTree, 'in'), { recursive: true })
  for (let index = 0; index < manyFiles; index++) writeFileSync(join(workTree, `${index}`), '')
  writeFileSync(join(workTree, 'in/closed'), 'x', { mode: 0o000 })
  if (nobody !== undefined) spawnSync('chown', ['-R', `${nobody}`, base])
  const { created } = await runOnce(base, { uid: nobody, closed: 'in/closed' })
  expect(created).toMatchObject({ ok: true, files: manyFiles + 1, notes: [] })
})

test('leaves out what lies too deep to be looked at, and says so', async () => {
  const scene = await openScene()
  const script =
    'cd "$1" && for d in $(seq 30); do n=$(printf "%0150d" $d); mkdir $n && cd -P $n; done; echo x > file'
  spawnSync('sh', ['-c', script, 'sh', scene.workTree])
  onTestFinished(() => void spawnSync('rm', ['-rf', scene.workTree]))
  scene.write('file', 'x')
  const created = await scene.store.create({ ...ordinary, selection: selectionOf(['**']) })
  expect(created).toMatchObject({ ok: true, files: 1, notes: [{ kind: 'unreadable' }] })
})

interface Once {
  readonly bytes: number
  readonly created: {
    readonly ok: boolean
    readonly sha?: string
    readonly files?: number
    readonly notes?: readonly { readonly kind: string; readonly path: string }[]
  }
}

interface OnceOptions {
  readonly uid?: number | undefined
  /** A file that is opened up for a second checkpoint. */
  readonly closed?: string
}

async function runOnce(base: string, { uid, closed }: OnceOptions = {}): Promise<Once> {
  const program = await fixtureProgram(new URL('./fixtures/store-once.ts', import.meta.url))
  const folder = await tempDir()
  chmodSync(folder, 0o755)
  copyFileSync(program, join(folder, 'program.mjs'))
  const result = spawnSync(process.execPath, [join(folder, 'program.mjs'), base, closed ?? ''], {
    ...(uid !== undefined && { uid, gid: uid }),
  })
  if (result.status !== 0) throw new Error(result.stderr.toString())
  return JSON.parse(result.stdout.toString())
}

/** Until the file system has counted on to another second since a file was changed: only then can anyone trust it. */
async function untilSettled(scene: Scene, path: string): Promise<void> {
  const probe = join(scene.gitDir, 'weave-probes', 'second')
  const second = Math.floor(statSync(join(scene.workTree, path)).ctimeMs / 1000)
  for (;;) {
    writeFileSync(probe, '')
    if (Math.floor((statSync(probe).ctimeMs - 50) / 1000) > second) return
    await setTimeout(20)
  }
}
