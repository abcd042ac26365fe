import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { checkpointManifest, manifestOf } from './manifest.ts'
import { ordinary, selectionOf } from './requests.ts'
import { openScene } from './scene.ts'

const commitOf = (bytes: Buffer) => bytes.toString()

describe('what is in a checkpoint', () => {
  verifies(
    ['1/checkpointed-files-versioned'],
    'holds bytes, exec bits and links exactly as they are on the disk',
    async () => {
      const scene = await openScene()
      scene.write('plain.txt', 'one\r\ntwo\n')
      scene.write('empty', '')
      scene.write('bin/tool', '#!/bin/sh\n', 0o755)
      scene.write('data/blob.bin', Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 31) % 251)))
      scene.link('link', 'plain.txt')
      scene.link('data/outside', '/etc/passwd')
      scene.link('dangling', 'nowhere/at/all')
      const sha = await scene.create()
      expect(checkpointManifest(scene, sha)).toEqual(manifestOf(scene.workTree))
      expect(scene.git('cat-file', 'blob', `${sha}:link`).toString()).toBe('plain.txt')
      expect(scene.git('cat-file', 'blob', `${sha}:data/outside`).toString()).toBe('/etc/passwd')
    },
  )

  test('keeps names of any bytes', async () => {
    const scene = await openScene()
    const names = [
      'new\nline',
      '"quoted"',
      "it's",
      'back\\slash',
      '-dash',
      ' lead',
      'tab\t',
      'ünï',
      '日本語',
      '🙂',
    ]
    for (const name of names) scene.write(`names/${name}`, name)
    for (const bytes of [[0xff], [0x66, 0xe9], [0xed, 0xa0, 0x80], [0xc3, 0x28], [0xef, 0xbf, 0xbd]])
      writeFileSync(
        Buffer.concat([Buffer.from(`${scene.workTree}/names/`), Buffer.from(bytes)]),
        bytes.join(),
      )
    const sha = await scene.create()
    expect(checkpointManifest(scene, sha)).toEqual(manifestOf(scene.workTree))
    expect((await scene.store.check()).ok).toBe(true)
  })

  verifies(
    ['d7/selection-without-git', 'd7/git-own-directory'],
    'has the files of a repository inside the workspace as plain files, without its .git',
    async () => {
      const scene = await openScene()
      const inner = join(scene.workTree, 'vendor/lib')
      scene.write('vendor/lib/code.c', 'int main;')
      execFileSync('git', ['init', '-q', inner])
      execFileSync('git', ['-C', inner, 'add', '-A'])
      scene.write('vendor/work/.git', 'gitdir: ../lib/.git')
      scene.write('vendor/work/file', 'x')
      const index = readFileSync(join(inner, '.git/index'))
      const sha = await scene.create()
      expect([...checkpointManifest(scene, sha).keys()]).toEqual(['vendor/lib/code.c', 'vendor/work/file'])
      expect(readFileSync(join(inner, '.git/index'))).toEqual(index)
    },
  )

  verifies(
    ['d7/selection-without-data', 'd7/selection-directory-name', 'd7/selection-gitignore-rules'],
    'holds what the patterns select by gitignore rules, and never the data source',
    async () => {
      const patterns = ['*.md', '!draft.md', 'src', '/top', 'read_only_data_source']
      const scene = await openScene({ patterns })
      const paths = [
        'a.md',
        'deep/b.md',
        'deep/draft.md',
        'c.txt',
        'src/x.ts',
        'src/in/z.log',
        'top',
        'deep/top',
      ]
      for (const path of paths) scene.write(path, path)
      scene.write('read_only_data_source/data.md', 'data')
      const sha = await scene.create()
      expect([...checkpointManifest(scene, sha).keys()]).toEqual([
        'a.md',
        'deep/b.md',
        'src/in/z.log',
        'src/x.ts',
        'top',
      ])
    },
  )

  test('skips pipes and sockets, and does not wait for them', async () => {
    const scene = await openScene()
    scene.write('file', 'x')
    execFileSync('mkfifo', [join(scene.workTree, 'pipe')])
    const sha = await scene.create()
    expect([...checkpointManifest(scene, sha).keys()]).toEqual(['file'])
  })

  verifies(['d7/deletions-recorded'], 'lacks a file that was deleted since the last', async () => {
    const scene = await openScene()
    scene.write('a/one', '1')
    scene.write('a/b/two', '2')
    scene.write('three', '3')
    await scene.create()
    rmSync(join(scene.workTree, 'a'), { recursive: true })
    const sha = await scene.create()
    expect([...checkpointManifest(scene, sha).keys()]).toEqual(['three'])
  })

  test('follows a file that becomes a directory, a link, an executable, and back', async () => {
    const scene = await openScene()
    const check = async () => {
      const sha = await scene.create()
      expect(checkpointManifest(scene, sha)).toEqual(manifestOf(scene.workTree))
    }
    scene.write('thing', 'file')
    await check()
    rmSync(join(scene.workTree, 'thing'))
    scene.write('thing/inside', 'now a directory')
    await check()
    rmSync(join(scene.workTree, 'thing'), { recursive: true })
    scene.link('thing', 'elsewhere')
    await check()
    rmSync(join(scene.workTree, 'thing'))
    scene.write('thing', 'file')
    await check()
    chmodSync(join(scene.workTree, 'thing'), 0o755)
    await check()
    chmodSync(join(scene.workTree, 'thing'), 0o644)
    await check()
  })

  test('never follows a link that took the place of a directory', async () => {
    const scene = await openScene()
    scene.write('dir/secret', 'harmless')
    await scene.create()
    scene.write('../outside/secret', 'stolen')
    renameSync(join(scene.workTree, 'dir'), join(scene.workTree, 'moved'))
    scene.link('dir', '../outside')
    const sha = await scene.create()
    expect([...checkpointManifest(scene, sha)]).toEqual([...manifestOf(scene.workTree)])
    expect([...checkpointManifest(scene, sha).keys()]).toEqual(['dir', 'moved/secret'])
  })

  test('sees a file that was written again with the same size and time', async () => {
    const scene = await openScene()
    const path = join(scene.workTree, 'file')
    for (let round = 0; round < 30; round++) {
      scene.write('file', `version ${round % 10}`)
      execFileSync('touch', ['-d', '2020-01-01', path])
      const sha = await scene.create()
      expect(scene.git('cat-file', 'blob', `${sha}:file`).toString()).toBe(`version ${round % 10}`)
    }
  })

  test('streams a file that is too large for memory', async () => {
    const scene = await openScene()
    const bytes = Buffer.alloc(9 << 20)
    for (let at = 0; at < bytes.length; at += 997) bytes[at] = at % 256
    scene.write('large', bytes)
    const sha = await scene.create()
    expect(checkpointManifest(scene, sha)).toEqual(manifestOf(scene.workTree))
    expect((await scene.store.size()).loose).toBe(1)
    scene.write('large', bytes)
    await scene.create()
    expect((await scene.store.size()).loose).toBe(1)
    expect((await scene.store.check()).ok).toBe(true)
  })
})

describe('what a checkpoint says of itself', () => {
  verifies(
    ['d7/commit-subject', 'd7/commit-trailers', 'd7/branch', 'd7/git-identity'],
    'has the subject, the trailers, the branch and the fixed identity',
    async () => {
      const clock = createTestClock('2026-03-04T05:06:07.000Z')
      const environment = {
        ...process.env,
        GIT_AUTHOR_NAME: 'Somebody',
        GIT_COMMITTER_EMAIL: 'else@example.com',
      }
      const scene = await openScene({ clock, environment })
      const sha = await scene.create({ type: 'rig-setup', codonId: 'review#2', status: 'preparing' })
      expect(scene.git('rev-parse', 'refs/heads/run-run_1').toString().trim()).toBe(sha)
      const format =
        '%s|%an <%ae>|%cn <%ce>|%aI|%(trailers:key=Weave-Run)%(trailers:key=Weave-Codon)%(trailers:key=Weave-Status)'
      expect(scene.git('log', '-1', `--format=${format}`, sha).toString().trim()).toBe(
        [
          'checkpoint(rig-setup): review#2|weave <weave@localhost>|weave <weave@localhost>|2026-03-04T05:06:07+00:00|Weave-Run: run_1',
          'Weave-Codon: review#2',
          'Weave-Status: preparing',
        ].join('\n'),
      )
      expect(await scene.store.read(sha)).toEqual({
        ...ordinary,
        sha,
        tree: scene.git('rev-parse', `${sha}^{tree}`).toString().trim(),
        type: 'rig-setup',
        codonId: 'review#2',
        status: 'preparing',
        timestamp: '2026-03-04T05:06:07.000Z',
      })
    },
  )

  test('gives back ids and names that hold anything', async () => {
    const scene = await openScene()
    const meta = { runId: 'a/../b c\nWeave-Run: x', codonId: ' %\r\n\0\u2028 ', codonName: '\ud800 ü\n\n' }
    const sha = await scene.create(meta)
    expect(await scene.store.read(sha)).toMatchObject(meta)
    expect((await scene.store.list(meta.runId)).map(record => record.sha)).toEqual([sha])
    expect((await scene.store.check()).ok).toBe(true)
  })

  test('is an empty commit when nothing changed', async () => {
    const scene = await openScene()
    const first = await scene.create()
    scene.write('file', 'x')
    const second = await scene.create()
    const third = await scene.create()
    const records = await scene.store.list('run_1')
    expect(records.map(record => record.sha)).toEqual([first, second, third])
    expect(records[2]?.tree).toBe(records[1]?.tree)
    expect(records[2]?.parent).toBe(second)
    expect(commitOf(scene.git('cat-file', '-p', `${first}^{tree}`))).toBe('')
  })

  test('goes on from another run, and lists only its own', async () => {
    const scene = await openScene()
    const first = await scene.create()
    const next = await scene.create({ runId: 'run_2', parent: first })
    const last = await scene.create({ runId: 'run_2', parent: first })
    expect((await scene.store.list('run_2')).map(record => [record.sha, record.parent])).toEqual([
      [next, first],
      [last, next],
    ])
    expect((await scene.store.list('run_1')).map(record => record.sha)).toEqual([first])
    expect(await scene.store.list('run_3')).toEqual([])
    const lost = await scene.store.create({
      ...ordinary,
      runId: 'run_4',
      parent: '0123456789012345678901234567890123456789',
      selection: selectionOf(['**']),
    })
    expect(lost.ok).toBe(false)
  })

  test('takes a safety checkpoint under a ref with the time, each under its own', async () => {
    const scene = await openScene({ clock: createTestClock('2026-03-04T05:06:07.089Z') })
    scene.write('file', 'x')
    await scene.safety()
    scene.write('file', 'y')
    const second = await scene.safety()
    const refs = scene.git('for-each-ref', '--format=%(refname)', 'refs/weave').toString().trim().split('\n')
    expect(refs).toEqual([
      'refs/weave/safety/2026-03-04T050607.089Z',
      'refs/weave/safety/2026-03-04T050607.089Z-2',
    ])
    expect(await scene.store.read(second)).toMatchObject({ type: 'safety' })
  })
})
