import { execFileSync } from 'node:child_process'
import { readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import type { OutputRequest } from '../../src/effects/index.ts'
import { type PreparedWorkspace, preparedWorkspace, put, treeOf } from '../workspace/prepared-workspace.ts'
import { command, copyFrom, silent } from './output-runs.ts'

const failure = (message: RegExp) =>
  expect.objectContaining({
    ok: false,
    kind: 'failed',
    during: 'copy',
    message: expect.stringMatching(message),
  })

const outputsOf = ({ output }: PreparedWorkspace) => treeOf(output).catch(() => ({}))

describe('what an agent plants in the workspace', () => {
  verifies(
    ['d8/output-symlink-refused'],
    'a link that leaves the workspace is refused, and nothing is copied',
    async () => {
      for (const link of ['../../outside/secret', '../../outside', 'PLACE/secret', 'hop']) {
        const workspace = await preparedWorkspace()
        await put(workspace.outside, { secret: 's3cret' })
        await put(workspace.agentRoot, { 'a.txt': 'a', hop: { link: '../../outside/secret' } })
        await put(workspace.agentRoot, { 'z.txt': { link: link.replace('PLACE', workspace.outside) } })
        expect(await copyFrom(workspace, ['**'], { entries: [{ copy: ['*.txt'] }] })).toEqual(
          failure(/z\.txt is a link that leaves the agent workspace/),
        )
        expect(await outputsOf(workspace)).toEqual({})
      }
    },
  )

  it('a link to a file inside stands for that file', async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.agentRoot, { 'v2/report.md': 'two', 'latest.md': { link: 'v2/report.md' } })
    expect(await copyFrom(workspace, ['**'])).toMatchObject({ ok: true })
    expect(await treeOf(workspace.output)).toEqual({ 'latest.md': 'two', 'v2/report.md': 'two' })
  })

  it.each<[string, Record<string, string | { link: string }>, RegExp]>([
    ['to a directory', { 'v2/a': 'a', current: { link: 'v2' } }, /current is a link to a directory/],
    ['to the workspace', { all: { link: '.' } }, /all is a link to a directory/],
    ['to nothing', { 'z.txt': { link: 'missing' } }, /z\.txt is a link that leads nowhere/],
    ['to itself', { loop: { link: 'loop' } }, /loop is a link that leads to itself/],
    [
      'into the data',
      { 'read_only_data_source/d': 'd', z: { link: 'read_only_data_source/d' } },
      /not for outputs/,
    ],
    ['into a .git', { '.git/config': 'g', z: { link: '.git/config' } }, /not for outputs/],
  ])('a link %s is refused', async (_where, files, message) => {
    const workspace = await preparedWorkspace()
    await put(workspace.agentRoot, { ...files, 'good.txt': 'good' })
    expect(await copyFrom(workspace, ['**'])).toEqual(failure(message))
    expect(await outputsOf(workspace)).toEqual({})
  })

  it('a FIFO is refused without waiting for it, also behind a link; all that is refused is named', async () => {
    const workspace = await preparedWorkspace()
    execFileSync('mkfifo', [join(workspace.agentRoot, 'pipe')])
    await put(workspace.agentRoot, { link: { link: 'pipe' } })
    expect(await copyFrom(workspace, ['**'])).toEqual(
      failure(/link is a link to something that is not a regular file; pipe is not a regular file/),
    )
    expect(
      await copyFrom(workspace, ['**'], { entries: [{ copy: ['**', '!pipe', '!link'] }] }),
    ).toMatchObject({
      ok: true,
    })
  })

  it.each<[string, (workspace: PreparedWorkspace) => Promise<void>]>([
    [
      'a file becomes a link',
      async ({ agentRoot, outside }) => {
        await rm(join(agentRoot, 'sub/a.txt'))
        await symlink(join(outside, 'a.txt'), join(agentRoot, 'sub/a.txt'))
      },
    ],
    [
      'its directory becomes a link',
      async ({ agentRoot, outside }) => {
        await rename(join(agentRoot, 'sub'), join(agentRoot, 'moved'))
        await symlink(outside, join(agentRoot, 'sub'))
      },
    ],
    [
      'it becomes a FIFO',
      async ({ agentRoot }) => {
        await rm(join(agentRoot, 'sub/a.txt'))
        execFileSync('mkfifo', [join(agentRoot, 'sub/a.txt')])
      },
    ],
  ])('between the look and the copy %s: refused', async (_what, spring) => {
    const workspace = await preparedWorkspace()
    await put(workspace.outside, { 'a.txt': 's3cret' })
    await put(workspace.agentRoot, { 'sub/a.txt': 'a' })
    const record = { ...silent, intent: () => spring(workspace) }
    expect(await copyFrom(workspace, ['**'], { record })).toEqual(failure(/symbolic link|not a regular file/))
    expect(await treeOf(workspace.output)).toEqual({})
  })

  it('a directory that cannot be looked into is a warning, unless it was asked for', async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.agentRoot, { 'a.txt': 'a' })
    const notText = Buffer.concat([Buffer.from(`${workspace.agentRoot}/bad`), Buffer.from([0xff])])
    await writeFile(notText, 'x')
    expect(await copyFrom(workspace, ['**'], { entries: [{ copy: ['*.txt'] }] })).toMatchObject({
      ok: true,
      copied: [{ to: 'a.txt' }],
      warnings: [expect.stringContaining('cannot be looked into')],
    })
    expect(await copyFrom(workspace, ['**'])).toEqual(failure(/cannot be read \(EILSEQ\)/))
  })
})

describe('an output directory that cannot take the files', () => {
  it('is a file: failure, and the file stays', async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.agentRoot, { 'a.txt': 'a' })
    await writeFile(workspace.output, 'mine')
    expect(await copyFrom(workspace, ['**'])).toEqual(failure(/output files: /))
    expect(await copyFrom(workspace, ['**'], { outputDirectory: join(workspace.output, 'below') })).toEqual(
      failure(/ENOTDIR/),
    )
  })

  it('has a file or a link where a directory is needed: failure, and what had been placed goes again', async () => {
    for (const inTheWay of ['mine', { link: '../outside' }]) {
      const workspace = await preparedWorkspace()
      await put(workspace.agentRoot, { 'a.txt': 'a', 'sub/b.txt': 'b' })
      await put(workspace.output, { sub: inTheWay })
      const before = await treeOf(workspace.output)
      expect(await copyFrom(workspace, ['**'])).toEqual(failure(/sub is (not a directory|a symbolic link)/))
      expect(await treeOf(workspace.output)).toEqual(before)
      expect(await treeOf(workspace.outside)).toEqual({})
    }
  })
})

describe('a copy that is not to be', () => {
  it.each(['intent', 'done'] as const)(
    'because its %s cannot be put on record, is taken back',
    async step => {
      const workspace = await preparedWorkspace()
      await put(workspace.agentRoot, { 'a.txt': 'a', 'sub/b.txt': 'b' })
      await put(workspace.output, { 'a.txt': 'mine' })
      const record = { ...silent, [step]: () => Promise.reject(new Error('the journal is full')) }
      expect(await copyFrom(workspace, ['**'], { record })).toEqual(failure(/the journal is full/))
      expect(await outputFilesOf(workspace)).toEqual({ 'a.txt': 'mine' })
    },
  )

  it('is stopped by a signal, in a command or while it copies', async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.agentRoot, { 'a.txt': 'a' })
    const during = async (more: (stop: () => void) => Partial<OutputRequest>) => {
      const controller = new AbortController()
      const stop = () => controller.abort('skip')
      return copyFrom(workspace, ['**'], { signal: controller.signal, ...more(stop) })
    }
    const stopped = { ok: false, kind: 'stopped', reason: 'skip' }
    const beforeCopy = [command('echo ready; sleep 30')]
    expect(await during(stop => ({ entries: [{ copy: ['*'], beforeCopy }], onOutput: stop }))).toEqual(
      stopped,
    )
    expect(await during(stop => ({ record: { ...silent, intent: stop } }))).toEqual(stopped)
    expect(await treeOf(workspace.output)).toEqual({})
  })

  /** Directories that were made for it may stay. */
  async function outputFilesOf({ output }: PreparedWorkspace) {
    return Object.fromEntries(Object.entries(await treeOf(output)).filter(([path]) => !path.endsWith('/')))
  }
})

verifies(
  ['safety/I13'],
  'a name that is taken in the last moment is not overwritten, and no file has its name before it is whole',
  async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.agentRoot, { 'a.txt': 'ours', 'b.txt': 'ours' })
    const seen: string[] = []
    const late = [command(`ls -A '${workspace.output}'; echo theirs > '${workspace.output}/a.txt'`)]
    const outcome = await copyFrom(workspace, ['**'], {
      entries: [{ copy: ['*.txt'] }, { copy: ['none'], beforeCopy: late }],
      onOutput: ({ text }) => void seen.push(text.trim()),
    })
    expect(seen).toEqual([expect.stringMatching(/^\.weave-\S+$/)])
    expect(outcome).toMatchObject({
      ok: true,
      copied: [{ from: 'a.txt', to: expect.stringMatching(/^a_1_/) }, { to: 'b.txt' }],
    })
    expect(await readdir(workspace.output)).toHaveLength(3)
    expect(await treeOf(workspace.output)).toMatchObject({ 'a.txt': 'theirs\n', 'b.txt': 'ours' })
  },
)
