import { chmod, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findModel, formatProblem, isLoop, type Prepared, prepare } from '@weave/runtime'
import { describe, expect, test } from 'vitest'
import { heardTerminal } from '../../../test/support/heard-terminal.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { commands } from '../src/commands.ts'
import { hankFiles } from '../src/init/hank-files.ts'
import { fileTree, initHank, writeNewFiles } from '../src/init/init.ts'
import type { Terminal } from '../src/terminal.ts'

interface Told {
  readonly code: number
  readonly out: readonly string[]
  readonly error: readonly string[]
}

async function told(work: (terminal: Terminal) => Promise<number>): Promise<Told> {
  const terminal = heardTerminal()
  const code = await work(terminal)
  return { code, ...terminal.said }
}

function initIn(workingDirectory: string, ...words: readonly string[]): Promise<Told> {
  const isCommand = (word: string): boolean => Object.hasOwn(commands, word)
  return told(terminal => initHank(words, { workingDirectory, isCommand }, terminal))
}

/** Every file below a directory with its text; a link with where it leads. */
async function contents(directory: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(
      files.map(
        async file =>
          [file.slice(directory.length + 1).replaceAll('\\', '/'), await readFile(file, 'utf8')] as const,
      ),
    ),
  )
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

async function freshHank(): Promise<string> {
  const dir = await tempDir({ inMemory: true })
  await initIn(dir)
  return dir
}

/** What `weave validate --skip-self-test` does, with a key that nobody is asked about. */
function check(directory: string): Promise<Prepared> {
  return prepare({
    flags: [],
    skipSelfTest: true,
    environment: { ANTHROPIC_API_KEY: 'no-real-key' },
    workingDirectory: directory,
    home: join(directory, 'home'),
  })
}

describe('the hank that is written', () => {
  test('passes every check that needs no network, without an error or a warning', async () => {
    const { ok, problems, loaded, runtimeFile } = await check(await freshHank())
    expect(problems.map(formatProblem)).toEqual([])
    expect(ok).toBe(true)
    expect(runtimeFile).toMatch(/weave\.json$/)
    expect(loaded.hank?.meta?.name).toBe('Guide to a folder')
    expect(loaded.counts).toEqual({ codons: 3, loops: 1 })
    expect(loaded.sentinels.map(({ config }) => config.id)).toEqual(['narrator'])
  })

  test('names only models that the catalogue knows, with a price', async () => {
    const { loaded, registry } = await check(await freshHank())
    const codons = (loaded.hank?.hank ?? []).flatMap(item => (isLoop(item) ? item.codons : [item]))
    const names = [...codons.map(({ model }) => model), ...loaded.sentinels.map(({ config }) => config.model)]
    expect(names).toEqual(['sonnet', 'sonnet', 'haiku', 'haiku'])
    for (const name of names) expect(findModel(name ?? '', registry)?.prices).toBeDefined()
  })

  test('shows a rig, a loop that continues, outputs, checkpoints, budgets and a sentinel', async () => {
    const { hank } = (await check(await freshHank())).loaded
    expect(hank?.overrides?.budget).toEqual({ maxDollars: 1, maxTimeSeconds: 1800 })
    expect(hank?.hank).toMatchObject([
      {
        rigSetup: [{ type: 'copy', copy: { from: 'rig/guide-template.md', to: 'guide.md' } }],
        checkpointedFiles: ['*.md'],
        sentinels: [{ sentinelConfig: 'sentinels/narrator.json' }],
        description: expect.any(String),
      },
      {
        type: 'loop',
        terminateOn: { type: 'iterationLimit', limit: 2 },
        budget: { maxDollars: 0.5 },
        codons: [{ continuationMode: 'continue-previous', description: expect.any(String) }],
        description: expect.any(String),
      },
      { outputFiles: [{ copy: ['guide.md', 'summary.md'] }], description: expect.any(String) },
    ])
  })

  test('tells in its README what every file is for, and names only commands and flags that exist', async () => {
    const texts = await contents(await freshHank())
    const readme = texts['README.md'] ?? ''
    for (const { path } of hankFiles) if (path !== 'README.md') expect(readme).toContain(`\`${path}\``)
    const named = Object.values(texts).flatMap(text => [...text.matchAll(/\bweave ([a-z]+)\b(?!\.)/g)])
    expect([...new Set(named.map(([, command = '']) => command))].sort()).toEqual([
      'models',
      'rehearse',
      'report',
      'validate',
    ])
    for (const [, command = ''] of named) expect(Object.keys(commands)).toContain(command)
    for (const [, flag] of readme.matchAll(/`--([a-z-]+)`/g))
      expect(commands['validate']?.flags).toContain(flag)
  })
})

describe('weave init', () => {
  test('writes into a directory that it makes, prints the tree and the next command, and exits with 0', async () => {
    const dir = await tempDir({ inMemory: true })
    expect(await initIn(dir, 'deep/my-hank')).toEqual({
      code: 0,
      error: [],
      out: [
        'Wrote a hank of 11 files to deep/my-hank:',
        '',
        '  prompts/',
        '    draft.md',
        '    house-style.md',
        '    publish.md',
        '    revise.md',
        '  rig/',
        '    guide-template.md',
        '  sentinels/',
        '    narrator.json',
        '  .gitignore',
        '  README.md',
        '  hank.json',
        '  rehearsal.json',
        '  weave.json',
        '',
        'README.md says what each file is for. Next, rehearse: a whole run without a key, in which a script answers instead of',
        'a model. Then change what you like, check it, and run it; that needs ANTHROPIC_API_KEY in the environment:',
        '',
        '  weave rehearse deep/my-hank',
        '  weave validate deep/my-hank',
        '  weave deep/my-hank',
      ],
    })
    expect(await contents(join(dir, 'deep/my-hank'))).toEqual(
      Object.fromEntries(hankFiles.map(({ path, text }) => [path, text])),
    )
  })

  test('writes into the current directory when none is named', async () => {
    const dir = await tempDir({ inMemory: true })
    await writeFile(join(dir, 'notes.txt'), 'mine')
    const { code, out } = await initIn(dir)
    expect(code).toBe(0)
    expect(out[0]).toBe('Wrote a hank of 11 files to the current directory:')
    expect(out.slice(-3)).toEqual(['  weave rehearse', '  weave validate', '  weave'])
    expect(await readFile(join(dir, 'notes.txt'), 'utf8')).toBe('mine')
  })

  test('is the command of the table, and takes an absolute path', async () => {
    const dir = join(await tempDir({ inMemory: true }), 'hank')
    const args = { positionals: [dir], switches: new Set<never>(), texts: {} }
    const command = await commands['init']?.load(args)
    const { code, out } = await told(async terminal => command?.(args, terminal) ?? 1)
    expect(code).toBe(0)
    expect(out.at(-3)).toBe(`  weave rehearse ${dir}`)
  })

  test('prints the next command so that a shell understands it', async () => {
    const dir = await tempDir({ inMemory: true })
    expect((await initIn(dir, "Ann's hank")).out.at(-3)).toBe(String.raw`  weave rehearse 'Ann'\''s hank'`)
    expect((await initIn(dir, '-hank')).out.at(-3)).toBe('  weave rehearse ./-hank')
  })

  test('prints the next command so that the name of a hank is not taken for a command of weave', async () => {
    const dir = await tempDir({ inMemory: true })
    for (const name of ['report', 'run', 'warden'])
      expect((await initIn(dir, name)).out.slice(-3)).toEqual([
        `  weave rehearse ./${name}`,
        `  weave validate ./${name}`,
        `  weave ./${name}`,
      ])
    expect((await initIn(dir, 'reports')).out.at(-1)).toBe('  weave reports')
  })

  test('fills folders that are there already and leaves what is in them', async () => {
    const dir = await tempDir({ inMemory: true })
    await mkdir(join(dir, 'prompts'))
    await writeFile(join(dir, 'prompts/other.md'), 'mine')
    expect((await initIn(dir)).code).toBe(0)
    expect(await readFile(join(dir, 'prompts/other.md'), 'utf8')).toBe('mine')
  })

  test('refuses more than one directory and an empty name as wrong usage', async () => {
    const dir = await tempDir({ inMemory: true })
    expect(await initIn(dir, 'a', 'b')).toEqual({
      code: 2,
      out: [],
      error: ['weave init takes one directory, but there are 2. Write: weave init my-hank'],
    })
    expect(await initIn(dir, '')).toEqual({
      code: 2,
      out: [],
      error: ['weave init takes one directory, but the name is empty. Write: weave init my-hank'],
    })
    expect(await readdir(dir)).toEqual([])
  })
})

describe('what is there already', () => {
  test('is never overwritten: nothing is written and every file in the way is listed', async () => {
    const dir = await tempDir({ inMemory: true })
    await mkdir(join(dir, 'prompts'))
    const mine = { 'hank.json': '{}', 'prompts/draft.md': '', 'weave.json': '{}' }
    for (const [path, text] of Object.entries(mine)) await writeFile(join(dir, path), text)
    expect(await initIn(dirname(dir), dir)).toEqual({
      code: 1,
      out: [],
      error: [
        `Nothing was written, because weave init overwrites nothing and in ${dir} there are already:`,
        '  hank.json',
        '  prompts/draft.md',
        '  weave.json',
        'Move them away, or choose an empty directory: weave init <dir>',
      ],
    })
    expect(await contents(dir)).toEqual(mine)
  })

  test('is in the way also when it is a link or a directory', async () => {
    const dir = await tempDir({ inMemory: true })
    await symlink(join(dir, 'nowhere'), join(dir, 'hank.json'))
    await mkdir(join(dir, 'rehearsal.json'))
    const { code, error } = await initIn(dir)
    expect(code).toBe(1)
    expect(error.slice(1, -1)).toEqual(['  hank.json', '  rehearsal.json'])
    expect((await readdir(dir)).sort()).toEqual(['hank.json', 'rehearsal.json'])
  })

  test('is in the way when a folder is a file or a link to somewhere else, and is told once', async () => {
    const dir = await tempDir({ inMemory: true })
    const elsewhere = await tempDir({ inMemory: true })
    await symlink(elsewhere, join(dir, 'prompts'))
    await writeFile(join(dir, 'rig'), '')
    const { code, error } = await initIn(dir)
    expect(code).toBe(1)
    expect(error.slice(1, -1)).toEqual(['  prompts', '  rig'])
    expect(await readdir(elsewhere)).toEqual([])
  })

  test('makes a second init say so, in the singular where there is one file', async () => {
    const dir = await freshHank()
    expect((await initIn(dir)).error).toHaveLength(hankFiles.length)
    const other = await tempDir({ inMemory: true })
    await writeFile(join(other, 'weave.json'), '')
    expect((await initIn(other)).error).toEqual([
      'Nothing was written, because weave init overwrites nothing and in the current directory there is already:',
      '  weave.json',
      'Move it away, or choose an empty directory: weave init <dir>',
    ])
  })

  test('stays and is no reason to refuse when it is what a repository has', async () => {
    const dir = await tempDir({ inMemory: true })
    await writeFile(join(dir, 'README.md'), 'my readme')
    await writeFile(join(dir, '.gitignore'), 'mine')
    const { code, out } = await initIn(dir)
    expect(code).toBe(0)
    expect(out.join('\n')).toContain('Your own README.md and .gitignore stayed as they were')
    const found = await contents(dir)
    expect(found).toMatchObject({ 'README.md': 'my readme', '.gitignore': 'mine' })
    expect(found['HANK.md']).toBe(hankFiles.find(({ path }) => path === 'README.md')?.text)
    expect(found['hank.json']).toBeDefined()
  })

  test('may be a link to a directory when the person names it', async () => {
    const dir = await tempDir({ inMemory: true })
    await mkdir(join(dir, 'real'))
    await symlink(join(dir, 'real'), join(dir, 'link'))
    expect((await initIn(dir, 'link')).code).toBe(0)
    expect(await exists(join(dir, 'real/hank.json'))).toBe(true)
  })
})

describe('a directory that cannot be written', () => {
  test('gives the path, the reason and what to do, and exit code 1', async () => {
    const dir = await tempDir({ inMemory: true })
    await writeFile(join(dir, 'file'), '')
    for (const named of ['file', 'file/hank']) {
      expect(await initIn(dir, named)).toEqual({
        code: 1,
        out: [],
        error: [
          `Cannot write ${join(dir, named)}: there is a file where a directory should be (ENOTDIR). Nothing was written.`,
          'Choose another directory: weave init <dir>',
        ],
      })
    }
    const long = 'x'.repeat(300)
    expect((await initIn(dir, long)).error[0]).toBe(
      `Cannot write ${join(dir, long)}: the name is too long (ENAMETOOLONG). Nothing was written.`,
    )
    expect(await readdir(dir)).toEqual(['file'])
  })

  test('is left as it was', async () => {
    // The system refuses root nothing but a few places of its own.
    const isRoot = process.getuid?.() === 0
    const dir = isRoot ? '/sys' : await tempDir()
    if (!isRoot) await chmod(dir, 0o500)
    const { code, error } = await initIn(dir, 'weave-init-test')
    expect(code).toBe(1)
    expect(error[0]).toMatch(/^Cannot write .*weave-init-test: .+ \(E[A-Z]+\)\. Nothing was written\.$/)
    expect(await exists(join(dir, 'weave-init-test'))).toBe(false)
  })

  test('halfway takes back the files and directories made until then', async () => {
    const dir = await tempDir({ inMemory: true })
    const files = [
      { path: 'a/one.md', text: '1' },
      { path: 'two.md', text: '2' },
      { path: 'two.md', text: 'somebody else was faster' },
    ]
    expect(await writeNewFiles(join(dir, 'new/hank'), files)).toEqual({
      ok: false,
      reason: 'failed',
      path: join(dir, 'new/hank/two.md'),
      code: 'EEXIST',
    })
    expect(await readdir(dir)).toEqual([])
  })
})

test('a tree has folders first, nested ones too', () => {
  expect(fileTree(['b.md', 'x/y/deep.md', 'x/a.md', 'a.md'])).toEqual([
    'x/',
    '  y/',
    '    deep.md',
    '  a.md',
    'a.md',
    'b.md',
  ])
})
