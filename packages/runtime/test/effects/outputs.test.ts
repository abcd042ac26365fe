import { chmod, lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { preparedWorkspace, put, treeOf } from '../workspace/prepared-workspace.ts'
import { command, copyFrom } from './output-runs.ts'

describe('output files', () => {
  verifies(
    ['2.4/output-copy-selects', '2.11/base-output-files'],
    'are those that the globs select in the workspace, under the same relative paths',
    async () => {
      const workspace = await preparedWorkspace()
      await put(workspace.agentRoot, {
        'report.md': 'r',
        'src/a.ts': 'a',
        'src/deep/b.ts': 'b',
        'src/deep/skip.ts': 's',
        'other.txt': 'o',
        'src/empty/': '',
      })
      await chmod(join(workspace.agentRoot, 'src/a.ts'), 0o750)
      const outcome = await copyFrom(workspace, ['/report.md', 'src/**/*.ts', '!skip.ts'])
      expect(outcome).toEqual({
        ok: true,
        warnings: [],
        copied: [
          { from: 'report.md', to: 'report.md', bytes: 1 },
          { from: 'src/a.ts', to: 'src/a.ts', bytes: 1 },
          { from: 'src/deep/b.ts', to: 'src/deep/b.ts', bytes: 1 },
        ],
      })
      expect(await treeOf(workspace.output)).toEqual({
        'report.md': 'r',
        'src/a.ts': 'a',
        'src/deep/b.ts': 'b',
      })
      expect((await lstat(join(workspace.output, 'src/a.ts'))).mode & 0o777).toBe(0o750)
    },
  )

  it('that nothing selects make no directory and no record', async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.agentRoot, { 'a.txt': 'a' })
    const record = {
      intent: () => Promise.reject(new Error('called')),
      done: () => Promise.reject(new Error('called')),
    }
    expect(await copyFrom(workspace, ['*.md'], { record })).toEqual({
      ok: true,
      copied: [],
      warnings: ['output files: the pattern *.md matches nothing'],
    })
    await expect(lstat(workspace.output)).rejects.toThrow('ENOENT')
  })

  it('are on record before the first effect and again when all is in place', async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.agentRoot, { 'a.txt': 'a' })
    const seen: unknown[] = []
    const visible = async () =>
      (await readdir(workspace.output).catch(() => [])).filter(name => !name.startsWith('.'))
    await copyFrom(workspace, ['*'], {
      record: {
        intent: async copy => void seen.push('intent', copy.directory, await visible()),
        done: async (_copy, files) => void seen.push('done', files, await visible()),
      },
    })
    const file = { from: 'a.txt', to: 'a.txt', bytes: 1 }
    expect(seen).toEqual(['intent', workspace.output, [], 'done', [file], ['a.txt']])
    expect(await readdir(workspace.output)).toEqual(['a.txt'])
  })

  it('never come from the data, from a .git or from the output directory itself', async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.agentRoot, {
      'read_only_data_source/data.csv': 'd',
      '.git/config': 'g',
      'sub/.git': 'gitdir: x',
      'results/old.txt': 'old',
      'sub/kept.txt': 'k',
    })
    const outputDirectory = join(workspace.agentRoot, 'results')
    await copyFrom(workspace, ['**', '.git', 'read_only_data_source'], { outputDirectory })
    expect(await treeOf(outputDirectory)).toEqual({ 'old.txt': 'old', 'sub/kept.txt': 'k' })
    const twice = [{ copy: ['/sub/'] }, { copy: ['**', '!read_only_data_source'] }]
    const outcome = await copyFrom(workspace, [], { entries: twice, outputDirectory: workspace.agentRoot })
    expect(
      outcome.ok && outcome.copied.map(file => file.from).filter(path => path.includes('weave')),
    ).toEqual([])
  })

  it('may be thousands, with odd names and large ones among them', async () => {
    const workspace = await preparedWorkspace({ inMemory: true })
    const odd = ['ünï çødé 🧵.txt', 'new\nline', ' -rf *', '.hidden', 'back\\slash', `${'n'.repeat(251)}.txt`]
    const names = [...odd, ...Array.from({ length: 2000 }, (_, index) => `d${index % 40}/f${index}`)]
    await put(workspace.agentRoot, Object.fromEntries(names.map(name => [name, name])))
    const large = Buffer.alloc(5 << 20, 'large ')
    await writeFile(join(workspace.agentRoot, 'large.bin'), large)
    const outcome = await copyFrom(workspace, ['**'])
    expect(outcome.ok && outcome.copied.length).toBe(names.length + 1)
    expect((await readFile(join(workspace.output, 'large.bin'))).equals(large)).toBe(true)
    await rm(join(workspace.output, 'large.bin'))
    expect(await treeOf(workspace.output)).toEqual(Object.fromEntries(names.map(name => [name, name])))
  })
})

describe('commands before the copy', () => {
  verifies(['2.4/before-copy-runs-first'], 'run before the files are selected', async () => {
    const workspace = await preparedWorkspace()
    const beforeCopy = [command('mkdir dist'), command('echo built > dist/app.js')]
    const outcome = await copyFrom(workspace, [], { entries: [{ copy: ['dist/'], beforeCopy }] })
    expect(outcome).toMatchObject({ ok: true, copied: [{ to: 'dist/app.js' }] })
    expect(await treeOf(workspace.output)).toEqual({ 'dist/app.js': 'built\n' })
  })

  verifies(['2.4/before-copy-workspace'], 'run in the agent workspace, project or not', async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.agentRoot, { 'kit/x': 'x' })
    const where: string[] = []
    const beforeCopy = [command('pwd -P'), command('pwd -P', 'project'), command('pwd -P', 'lastCopied')]
    const entries = [{ copy: ['none'], beforeCopy }]
    const onOutput = ({ text }: { text: string }) => void where.push(text.trim())
    expect(await copyFrom(workspace, [], { entries, onOutput, lastCopied: 'kit/x' })).toMatchObject({
      ok: true,
    })
    const { agentRoot } = workspace
    expect(where).toEqual([agentRoot, agentRoot, join(agentRoot, 'kit')])
  })

  verifies(
    ['2.4/before-copy-needs-output-directory'],
    'are skipped, like the copy, when no output directory is configured',
    async () => {
      const workspace = await preparedWorkspace()
      const entries = [{ copy: ['*'], beforeCopy: [command('touch trace')] }]
      const outcome = await copyFrom(workspace, [], { entries, outputDirectory: undefined })
      expect(outcome).toEqual({ ok: true, copied: [], warnings: [] })
      expect(await treeOf(workspace.agentRoot)).toEqual({})
    },
  )

  it('come entry by entry: a file counts as it was when its own entry selected it', async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.agentRoot, { 'draft.md': 'draft', 'log.txt': 'one' })
    const outcome = await copyFrom(workspace, [], {
      entries: [
        { copy: ['draft.md', 'log.txt'] },
        { copy: ['final.md', 'log.txt'], beforeCopy: [command('mv draft.md final.md; echo two > log.txt')] },
      ],
    })
    expect(outcome).toMatchObject({ ok: true, copied: [{}, {}, {}] })
    expect(await treeOf(workspace.output)).toEqual({
      'draft.md': 'draft',
      'final.md': 'draft',
      'log.txt': 'two\n',
    })
  })

  it('fail the whole copy, also what earlier entries had gathered', async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.agentRoot, { 'a.txt': 'a' })
    const outcome = await copyFrom(workspace, [], {
      entries: [
        { copy: ['*'] },
        { copy: ['*'], beforeCopy: [command('echo no >&2; exit 4'), command('touch b')] },
      ],
    })
    expect(outcome).toEqual({
      ok: false,
      kind: 'failed',
      during: 'beforeCopy',
      message: 'beforeCopy: command "echo no >&2; exit 4" ended with code 4: no',
      exit: { type: 'error', code: 4 },
    })
    expect(await treeOf(workspace.output)).toEqual({})
    expect(await treeOf(workspace.agentRoot)).toEqual({ 'a.txt': 'a' })
  })

  it('fail without a target of a copy to run in', async () => {
    const entries = [{ copy: ['*'], beforeCopy: [command('true', 'lastCopied')] }]
    const outcome = await copyFrom(await preparedWorkspace(), [], { entries })
    expect(outcome).toMatchObject({
      ok: false,
      during: 'beforeCopy',
      message: expect.stringContaining('nothing was copied'),
    })
  })
})
