import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { fixtureProgram } from '../../../../test/support/fixture-program.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { openCheckpoints } from '../../src/checkpoint/index.ts'
import { run, systemClock } from '../../src/kit/index.ts'
import { openScene, sceneAt } from './scene.ts'

async function openWith(path: string) {
  const base = await tempDir()
  mkdirSync(join(base, 'agentRoot'))
  return openCheckpoints({
    gitDir: join(base, 'deep', 'checkpoints'),
    workTree: join(base, 'agentRoot'),
    clock: systemClock,
    environment: { PATH: path },
  })
}

/** A directory with a program called git that says this version. */
async function gitOf(said: string): Promise<string> {
  const folder = await tempDir()
  writeFileSync(join(folder, 'git'), `#!/bin/sh\necho "${said}"\n`, { mode: 0o755 })
  return folder
}

describe('the git that is needed', () => {
  verifies(
    ['d7/git-version-checked'],
    'is looked for, and its version checked, with a clear message',
    async () => {
      const cure = 'Install git 2.30 or newer and make sure that it is on the PATH'
      expect(await openWith(await tempDir())).toEqual({ ok: false, message: 'git was not found', cure })
      for (const [said, version] of [
        ['git version 2.29.9', '2.29.9'],
        ['git version 1.8.3.1', '1.8.3.1'],
        ['git version 2.9.0.windows.1', '2.9.0'],
      ])
        expect(await openWith(`${await gitOf(said ?? '')}${delimiter}${process.env['PATH']}`)).toEqual({
          ok: false,
          message: `git ${version} is too old for checkpoints`,
          cure,
        })
      expect(await openWith(await gitOf('no idea'))).toMatchObject({
        ok: false,
        message: 'git does not say its version',
      })
      expect(await openWith(process.env['PATH'] ?? '')).toMatchObject({ ok: true })
    },
  )
})

describe('a git directory', () => {
  verifies(
    ['d7/git-own-directory', 'd3/checkpoint-directory'],
    'has its own configuration, no hooks, and nothing of a template',
    async () => {
      const scene = await openScene()
      expect(readdirSync(scene.gitDir).sort()).toEqual([
        'HEAD',
        'config',
        'info',
        'objects',
        'refs',
        'weave-probes',
      ])
      const get = (key: string) =>
        scene.git('config', '--file', join(scene.gitDir, 'config'), key).toString().trim()
      expect([get('core.hooksPath'), get('core.fsmonitor'), get('gc.auto'), get('core.fsync')]).toEqual([
        '/dev/null',
        'false',
        '0',
        'all',
      ])
    },
  )

  test('loses the locks and the unfinished files of a process that was killed', async () => {
    const scene = await openScene()
    await scene.create()
    await scene.store.close()
    const leftovers = [
      'refs/heads/run-run_1.lock',
      'config.lock',
      'packed-refs.lock',
      'objects/pack/tmp_pack_abc',
      'objects/tmp_obj_abc',
      '.tmp_abc',
    ]
    for (const path of leftovers) writeFileSync(join(scene.gitDir, path), '')
    const store = await scene.reopen()
    for (const path of leftovers) {
      const folder = join(scene.gitDir, path, '..')
      expect(readdirSync(folder)).not.toContain(path.split('/').at(-1))
    }
    expect((await store.check()).ok).toBe(true)
    await scene.create()
  })

  test('finds a branch that someone packed away by hand', async () => {
    const scene = await openScene()
    const first = await scene.create()
    scene.git('pack-refs', '--all')
    const second = await scene.create()
    expect((await scene.store.read(second))?.parent).toBe(first)
  })

  test('cannot be opened where it cannot be written', async () => {
    const base = await tempDir()
    writeFileSync(join(base, 'file'), '')
    mkdirSync(join(base, 'agentRoot'))
    const opened = await openCheckpoints({
      gitDir: join(base, 'file', 'checkpoints'),
      workTree: join(base, 'agentRoot'),
      clock: systemClock,
      environment: process.env,
    })
    expect(opened).toMatchObject({
      ok: false,
      cure: expect.stringContaining(join(base, 'file', 'checkpoints')),
    })
  })

  test('a workspace that is reached through a link is the workspace', async () => {
    const scene = await openScene()
    scene.write('file', 'x')
    const way = join(await tempDir(), 'way')
    symlinkSync(scene.workTree, way)
    const opened = await openCheckpoints({
      gitDir: join(way, '..', 'other'),
      workTree: way,
      clock: systemClock,
      environment: process.env,
    })
    expect(opened.ok).toBe(true)
  })
})

verifies(
  ['attack/descriptors-reserved'],
  'a checkpoint that fails for want of descriptors says so, and not that another checkpoint is missing',
  async () => {
    const base = await tempDir()
    mkdirSync(join(base, 'agentRoot'))
    writeFileSync(join(base, 'agentRoot/a.md'), 'a')
    const scene = await sceneAt(base)
    const parent = await scene.create()
    const program = await fixtureProgram(new URL('./fixtures/store-without-descriptors.ts', import.meta.url))
    const limited = ['--nofile=96:96', process.execPath, program, base, parent]
    const { stdout, stderr } = await run('prlimit', limited, { env: process.env })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      message: expect.stringMatching(/too many open files \(EMFILE\).*ulimit -n/) as string,
    })
  },
)
