import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { warningsOf } from '../../src/kit/index.ts'
import { codon, directoryWith, type Json, loadIn, told } from './fixture.ts'

/** What is said about the prompt files of these codons. */
async function warnings(hank: readonly Json[], files: Json, root: Json = {}): Promise<readonly string[]> {
  const codons = hank.map((more, at) => codon({ id: `c${at}`, name: `C${at}`, ...more }))
  const loaded = await loadIn(await directoryWith({ ...files, 'hank.json': { ...root, hank: codons } }))
  return told({ problems: warningsOf(loaded.problems) })
}

const megabyte = 1_048_576

describe('a prompt file', () => {
  verifies(['7.3/warn-empty-prompt-file'], 'gives a warning when it is empty', async () => {
    const files = { 'empty.md': '', 'blank.md': ' \n\t\n'.repeat(100), 'good.md': `${' '.repeat(100)}Hello.` }
    const hank = [
      { promptFile: 'empty.md' },
      { promptFile: ['good.md', './blank.md'], appendSystemPromptFile: 'good.md' },
    ]
    expect(await warnings(hank, files, { globalSystemPromptFile: ['good.md'] })).toEqual([
      'hank[0].promptFile: Codon 1 (c0): promptFile empty.md is empty. Write the prompt, or remove the reference.',
      'hank[1].promptFile[1]: Codon 2 (c1): promptFile ./blank.md is empty. Write the prompt, or remove the reference.',
    ])
  })

  verifies(
    ['7.3/warn-large-prompt-file', '8/prompt-file-size'],
    'of 1 MB loads silently and a larger one warns',
    async () => {
      const files = { 'full.md': 'x'.repeat(megabyte), 'over.md': 'x'.repeat(megabyte + 1) }
      expect(
        await warnings([{ promptFile: 'full.md' }, { appendSystemPromptFile: 'over.md' }], files),
      ).toEqual([
        'hank[1].appendSystemPromptFile: Codon 2 (c1): appendSystemPromptFile over.md is larger than 1 MB. Shorten it, or let the agent read it as data.',
      ])
      expect(await warnings([{}], files, { globalSystemPromptFile: 'over.md' })).toEqual([
        'globalSystemPromptFile: Global system prompt file over.md is larger than 1 MB. Shorten it, or let the agent read it as data.',
      ])
    },
  )

  test('with a variable that is not spelled well gets a warning with its line', async () => {
    const files = { 'a.md': 'Ünïcode\nRead <%DATADIR%>.\n', 'b.md': 'Read <%DATA_DIR%>, not <%OTHER%>.\n' }
    expect(await warnings([{ promptFile: ['a.md', 'b.md'] }], files)).toEqual([
      'hank[0].promptFile[0]: Codon 1 (c0): promptFile a.md has <%DATADIR%> in line 2, which is not replaced. Did you mean <%DATA_DIR%>?',
    ])
  })

  test('that many codons name is spoken of once', async () => {
    const hank = Array.from({ length: 20 }, (_, at) => ({ promptFile: at % 2 ? 'empty.md' : './empty.md' }))
    expect(await warnings(hank, { 'empty.md': '' })).toHaveLength(1)
  })

  test('that cannot or must not be read gets an error and no warning, and nothing waits for it', async () => {
    const outer = await directoryWith({ 'outside.md': '' })
    const dir = join(outer, 'hank')
    await mkdir(join(dir, 'folder'), { recursive: true })
    await symlink('../outside.md', join(dir, 'link.md'))
    await promisify(execFile)('mkfifo', [join(dir, 'pipe.md')])
    const promptFile = [
      'pipe.md',
      'folder',
      'link.md',
      '../outside.md',
      '/dev/null',
      'missing.md',
      'a\0b',
      '.',
    ]
    await writeFile(join(dir, 'hank.json'), JSON.stringify({ hank: [codon({ promptFile })] }))
    const { problems } = await loadIn(dir)
    expect(problems.map(({ severity }) => severity)).toEqual(promptFile.map(() => 'error'))
  })
})

describe('a file that may be meant', () => {
  const files = {
    'prompts/collect.md': 'Hello.',
    'prompts/a.md': 'Hello.',
    'rig/tools/run.sh': '',
    'watch/narrator.json': '{}',
    '.git/colect.md': '',
    'node_modules/x/colect.md': '',
  }

  verifies(
    ['repair/nearest-file'],
    'is named when a prompt, a copied tree or a sentinel is missing: same name elsewhere, another ending, nearly the same',
    async () => {
      const hintOf = async (fields: Json): Promise<string> => {
        const dir = await directoryWith({ ...files, 'hank.json': { hank: [codon(fields)] } })
        return (
          told(await loadIn(dir))
            .join()
            .split(' does not exist')[1] ?? 'no problem'
        )
      }
      const meant = '; did you mean prompts/collect.md?'
      expect(await hintOf({ promptFile: 'collect.md' })).toBe(meant)
      expect(await hintOf({ promptFile: 'prompts/collect.txt' })).toBe(meant)
      expect(await hintOf({ promptFile: 'prompts/colect.md' })).toBe(meant)
      expect(await hintOf({ promptFile: 'promts/collect.md' })).toBe(meant)
      expect(await hintOf({ appendSystemPromptFile: 'prompts/other.md' })).toBe('')
      expect(await hintOf({ promptFile: 'prompts/b.md' })).toBe('')
      const copy = (from: string) => ({ rigSetup: [{ type: 'copy', copy: { from, to: 'x' } }] })
      expect(await hintOf(copy('tools'))).toBe('; did you mean rig/tools?')
      expect(await hintOf(copy('rig/tools/rum.sh'))).toBe('; did you mean rig/tools/run.sh?')
      expect(await hintOf({ sentinels: [{ sentinelConfig: 'narator.json' }] })).toBe(
        '; did you mean watch/narrator.json?',
      )
    },
  )
})

describe('a file that is called the same but for capital letters', () => {
  const files = { 'prompts/draft.md': 'Hello.', 'Tree/a.txt': '' }

  test.each([
    ['prompts/Draft.md', '; there is prompts/draft.md, and capital letters count'],
    ['Prompts/draft.md', '; there is prompts, and capital letters count'],
  ])('is named when %j is missing', async (promptFile, hint) => {
    const dir = await directoryWith({ ...files, 'hank.json': { hank: [codon({ promptFile })] } })
    expect(told(await loadIn(dir))).toEqual([
      `hank[0].promptFile: Codon 1 (draft): promptFile ${promptFile} does not exist${hint}`,
    ])
  })

  test('is named for a copied tree and a sentinel, too', async () => {
    const rigSetup = [{ type: 'copy', copy: { from: 'tree', to: 'x' } }]
    const sentinels = [{ sentinelConfig: 'prompts/DRAFT.md' }]
    const dir = await directoryWith({ ...files, 'hank.json': { hank: [codon({ rigSetup, sentinels })] } })
    expect(told(await loadIn(dir))).toEqual([
      'hank[0].rigSetup[0].copy.from: Codon 1 (draft): copy.from tree does not exist; there is Tree, and capital letters count',
      'hank[0].sentinels[0].sentinelConfig: Codon 1 (draft): sentinelConfig prompts/DRAFT.md does not exist; there is prompts/draft.md, and capital letters count',
    ])
  })

  test('is looked for among the first names of a directory only', async () => {
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`p/${at}.md`, 'x']))
    const promptFile = Array.from({ length: 200 }, (_, at) => `p/${at}.MDX`)
    const dir = await directoryWith({ ...many, 'hank.json': { hank: [codon({ promptFile })] } })
    const before = performance.now()
    expect((await loadIn(dir)).problems).toHaveLength(200)
    expect(performance.now() - before).toBeLessThan(5_000)
  })
})
