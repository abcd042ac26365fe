import { execFileSync } from 'node:child_process'
import { chmod, mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { readReference, resolveReference } from '../../src/hank/references.ts'
import { codon, directoryWith, type Json, loadIn, loop, printed, sentinel, told } from './fixture.ts'

/** The errors of a hank in which every kind of reference names this path. */
async function everywhere(dir: string, path: string): Promise<readonly string[]> {
  const hank = {
    globalSystemPromptFile: path,
    hank: [
      codon({
        promptFile: path,
        appendSystemPromptFile: ['ok.md', path],
        rigSetup: [{ type: 'copy', copy: { from: path, to: 'x' } }],
        sentinels: [{ sentinelConfig: path }],
      }),
    ],
  }
  await writeFile(join(dir, 'hank.json'), JSON.stringify(hank))
  await writeFile(join(dir, 'ok.md'), 'Fine.')
  return told(await loadIn(dir))
}

const places = [
  'globalSystemPromptFile',
  'hank[0].promptFile',
  'hank[0].appendSystemPromptFile[1]',
  'hank[0].rigSetup[0].copy.from',
  'hank[0].sentinels[0].sentinelConfig',
] as const

function saidAt(message: string): readonly string[] {
  return places.map(place => `${place}: ${message}`)
}

async function promptIn(dir: string, promptFile: unknown): Promise<readonly string[]> {
  await writeFile(join(dir, 'hank.json'), JSON.stringify({ hank: [codon({ promptFile })] }))
  return (await loadIn(dir)).problems
    .filter(({ severity }) => severity === 'error')
    .map(({ message }) => message)
}

describe('the spelling of a reference', () => {
  const absolute =
    'is an absolute or drive-qualified path; hank refs must be relative paths inside the hank directory'

  verifies(
    [
      '2.11/rejects-absolute',
      '2.11/rejects-drive-qualified',
      '7.3/path-absolute',
      '9/release-0.10.0-file-references',
    ],
    'is relative',
    async () => {
      for (const path of ['/etc/passwd', 'C:/x.md', 'c:x.md', 'C:\\x.md', '/']) {
        expect(await everywhere(await tempDir(), path)).toEqual(saidAt(`${path} ${absolute}`))
      }
    },
  )
  verifies(['2.11/rejects-backslash', '7.3/path-backslash'], 'has no backslash', async () => {
    for (const path of ['prompts\\a.md', '..\\a.md']) {
      expect(await everywhere(await tempDir(), path)).toEqual(
        saidAt(`${path} contains a backslash; hank refs use / as the only path separator`),
      )
    }
  })
  verifies(['2.11/rejects-nul', '7.3/path-nul'], 'has no NUL', async () => {
    expect(await everywhere(await tempDir(), 'a\0.md')).toEqual(
      saidAt('a\0.md contains an invalid character (NUL)'),
    )
  })
  verifies(
    ['2.11/rejects-leaving', '7.3/path-outside', '9/release-0.10.0-file-references'],
    'does not lead out of the directory',
    async () => {
      const dir = await tempDir()
      const outside = (path: string, resolved: string) =>
        saidAt(
          `${path} resolves outside the hank directory (${resolved}); move the file into the hank directory`,
        )
      expect(await everywhere(dir, '../a.md')).toEqual(outside('../a.md', join(dirname(dir), 'a.md')))
      expect(await everywhere(dir, 'x/../../a.md')).toEqual(
        outside('x/../../a.md', join(dirname(dir), 'a.md')),
      )
      expect(await everywhere(dir, '..')).toEqual(outside('..', dirname(dir)))
    },
  )
  verifies(['2.11/rejects-leaving-and-re-entering'], 'does not lead out and back in', async () => {
    const dir = await directoryWith({ 'p.md': 'x' })
    const path = `../${basename(dir)}/p.md`
    expect(await everywhere(dir, path)).toEqual(
      saidAt(
        `${path} resolves outside the hank directory (${dirname(dir)}); move the file into the hank directory`,
      ),
    )
  })
  test('is not endless', async () => {
    const [first] = await promptIn(await tempDir(), 'x'.repeat(5000))
    expect(first).toBe('Codon 1 (draft): promptFile is longer than 4096 characters')
  })
  verifies(['2.11/spelling-before-existence'], 'is checked before the disk is asked', async () => {
    const dir = await tempDir()
    expect(await promptIn(dir, ['/no/such/file', '../no/such/file'])).toEqual([
      `/no/such/file ${absolute}`,
      `../no/such/file resolves outside the hank directory (${join(dirname(dir), 'no/such/file')}); move the file into the hank directory`,
    ])
    // Nor is a directory asked that is not there at all.
    expect(resolveReference('/no/such/hank', { path: '../x', label: 'x' })).toEqual({
      ok: false,
      code: 'path/outside',
      message: '../x resolves outside the hank directory (/no/such/x); move the file into the hank directory',
    })
  })
})

describe('symlinks', () => {
  verifies(
    ['2.11/rejects-symlink', '7.3/path-symlink', '9/release-0.10.0-file-references'],
    'are refused at the first one below the directory',
    async () => {
      const through = (path: string, component: string) =>
        `${path} passes through a symlink at ${component}; symlinks are not allowed in hank refs`
      const dir = await directoryWith({ 'real/sub/p.md': 'x' })
      await symlink('real', join(dir, 'link'))
      await symlink('sub', join(dir, 'real/second'))
      await symlink('real/sub/p.md', join(dir, 'file.md'))
      await symlink('nowhere', join(dir, 'dangling.md'))
      for (const [path, component] of [
        ['link/sub/p.md', 'link'],
        ['./link/second/p.md', 'link'],
        ['real/second/p.md', 'real/second'],
        ['file.md', 'file.md'],
        ['dangling.md', 'dangling.md'],
        ['link', 'link'],
      ] as const) {
        expect(await everywhere(dir, path)).toEqual(saidAt(through(path, component)))
      }
    },
  )

  verifies(['2.11/symlink-above-allowed'], 'on the way to the hank directory are fine', async () => {
    const dir = await directoryWith({
      'real/hank.json': { hank: [codon({ promptFile: 'p.md' })] },
      'real/p.md': 'x',
    })
    await symlink('real', join(dir, 'link'))
    const loaded = await loadIn(join(dir, 'link'))
    expect(printed(loaded)).toEqual([])
    expect(loaded.hank).toBeDefined()
  })
})

describe('the file itself', () => {
  verifies(
    ['7.3/path-missing', '7.3/load-missing-file'],
    'must be there, and the message says who wants it',
    async () => {
      const dir = await tempDir()
      expect(await everywhere(dir, 'prompts/a.md')).toEqual([
        'globalSystemPromptFile: Global system prompt file prompts/a.md does not exist',
        'hank[0].promptFile: Codon 1 (draft): promptFile prompts/a.md does not exist',
        'hank[0].appendSystemPromptFile[1]: Codon 1 (draft): appendSystemPromptFile prompts/a.md does not exist',
        'hank[0].rigSetup[0].copy.from: Codon 1 (draft): copy.from prompts/a.md does not exist',
        'hank[0].sentinels[0].sentinelConfig: Codon 1 (draft): sentinelConfig prompts/a.md does not exist',
      ])
      const inLoop = {
        hank: [codon(), loop({ codons: [codon({ id: 'inner', promptFile: 'no.md', onFailure: 'abort' })] })],
      }
      await writeFile(join(dir, 'hank.json'), JSON.stringify(inLoop))
      expect(printed(await loadIn(dir)).filter(line => line.includes('error'))).toEqual([
        expect.stringContaining(
          'error: hank[1].codons[0].promptFile: Codon 2.1 (inner): promptFile no.md does not exist',
        ),
      ])
    },
  )

  verifies(['2.11/regular-files-only'], 'must be a regular file', async () => {
    const dir = await directoryWith({ 'folder/x': '' })
    execFileSync('mkfifo', [join(dir, 'pipe')])
    expect(await promptIn(dir, ['folder', 'folder/', '.', 'pipe', '/dev/null'])).toEqual([
      'Codon 1 (draft): promptFile folder is not a regular file',
      'Codon 1 (draft): promptFile folder/ is not a regular file',
      'Codon 1 (draft): promptFile . is not a regular file',
      'Codon 1 (draft): promptFile pipe is not a regular file',
      '/dev/null is an absolute or drive-qualified path; hank refs must be relative paths inside the hank directory',
    ])
  })

  verifies(['7.3/load-unreadable-file'], 'must be readable', async () => {
    const dir = await directoryWith({ 'secret.md': 'x' })
    const long = `${'x'.repeat(300)}.md`
    expect(await promptIn(dir, long)).toEqual([`Codon 1 (draft): promptFile ${long} cannot be read`])
    if (process.getuid?.() === 0) return
    await chmod(join(dir, 'secret.md'), 0o000)
    expect(await promptIn(dir, 'secret.md')).toEqual([
      'Codon 1 (draft): promptFile secret.md cannot be read (EACCES)',
    ])
  })

  test('must be of a size that any model could take', async () => {
    const dir = await directoryWith({ 'huge.md': Buffer.alloc(10 * 1024 * 1024 + 1, 'x') })
    expect(await promptIn(dir, 'huge.md')).toEqual([
      'Codon 1 (draft): promptFile huge.md is larger than 10 MiB',
    ])
  })
})

describe('where references start', () => {
  verifies(
    [
      '2.11/base-prompt-file',
      '2.11/base-append-system-prompt-file',
      '2.11/base-global-system-prompt-file',
      '2.11/base-copy-from',
      '2.11/base-sentinel-config',
      '2.1/global-prompt-file-string-or-list',
    ],
    'is the hank directory, not the working directory',
    async () => {
      const hank = {
        globalSystemPromptFile: 'a/one.md',
        hank: [
          codon({
            promptFile: ['a/two.md', './a//x/../two.md'],
            appendSystemPromptFile: 'a/three.md',
            rigSetup: [{ type: 'copy', copy: { from: 'a', to: 'x' } }],
            sentinels: [{ sentinelConfig: 's.json' }],
          }),
        ],
      }
      const files = { 'a/one.md': '1', 'a/two.md': '1\n2\n', 'a/three.md': '', 's.json': sentinel() }
      const there = await directoryWith({ 'hank.json': hank, ...files })
      const loaded = await loadIn(there)
      expect(loaded.hank).toEqual(hank)
      expect(loaded.prompts.get('a/two.md')).toEqual({ bytes: 4, lines: 2 })
      expect([...loaded.prompts.keys()].sort()).toEqual(['a/one.md', 'a/three.md', 'a/two.md'])

      const list = await directoryWith({
        'hank.json': { ...hank, globalSystemPromptFile: ['a/one.md'] },
        ...files,
      })
      expect((await loadIn(list)).hank).toBeDefined()

      const elsewhere = await directoryWith({ 'sub/hank.json': hank, ...files })
      const lost = await loadIn(join(elsewhere, 'sub'))
      expect(lost.problems.map(({ message }) => message)).toEqual([
        'Global system prompt file a/one.md does not exist',
        'Codon 1 (draft): promptFile a/two.md does not exist',
        'Codon 1 (draft): promptFile ./a//x/../two.md does not exist',
        'Codon 1 (draft): appendSystemPromptFile a/three.md does not exist',
        'Codon 1 (draft): copy.from a does not exist',
        'Codon 1 (draft): sentinelConfig s.json does not exist',
      ])
    },
  )

  verifies(
    ['2.11/all-violations-collected'],
    'has no bearing on how many are told: all of them',
    async () => {
      const dir = await directoryWith({ 'real/x': '' })
      await symlink('real', join(dir, 'link'))
      expect(await promptIn(dir, ['/a', 'b\\c', '../d', 'e\0', 'link/x', 'missing.md', 'real'])).toHaveLength(
        7,
      )
    },
  )
})

describe('reading for the runner', () => {
  const reference = { path: 'p.md', label: 'Codon 1 (draft): promptFile' }

  test('gives the bytes of one descriptor', async () => {
    const dir = await directoryWith({ 'p.md': 'Hello.' })
    const read = await readReference(dir, reference, { maxBytes: 100 })
    expect(read).toMatchObject({ ok: true, relative: 'p.md' })
    expect(read.ok && read.bytes.toString()).toBe('Hello.')
  })

  test.each<[string, (dir: string) => Promise<unknown>, string]>([
    [
      'a link',
      dir => symlink('q.md', join(dir, 'p.md')),
      'p.md passes through a symlink at p.md; symlinks are not allowed in hank refs',
    ],
    [
      'a directory',
      dir => mkdir(join(dir, 'p.md')),
      'Codon 1 (draft): promptFile p.md is not a regular file',
    ],
    ['nothing', () => Promise.resolve(), 'Codon 1 (draft): promptFile p.md does not exist'],
  ])('refuses %s that took the place of a file after the load', async (_, swap, message) => {
    const dir = await directoryWith({ 'p.md': 'x', 'hank.json': { hank: [codon({ promptFile: 'p.md' })] } })
    expect((await loadIn(dir)).hank).toBeDefined()
    await rename(join(dir, 'p.md'), join(dir, 'q.md'))
    await swap(dir)
    expect(await readReference(dir, reference, { maxBytes: 100 })).toMatchObject({ ok: false, message })
  })
})

test('a hank in which everything is named twice is read once and told everywhere', async () => {
  const codons: readonly Json[] = ['a', 'b'].map(id =>
    codon({ id, name: id, promptFile: ['no.md', 'yes.md'] }),
  )
  const dir = await directoryWith({ 'hank.json': { hank: codons }, 'yes.md': 'x' })
  expect(told(await loadIn(dir)).filter(line => line.includes('does not exist'))).toEqual([
    'hank[0].promptFile[0]: Codon 1 (a): promptFile no.md does not exist',
    'hank[1].promptFile[0]: Codon 2 (b): promptFile no.md does not exist',
  ])
})
