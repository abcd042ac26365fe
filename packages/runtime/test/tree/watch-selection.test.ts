import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createSelection } from '../../src/tree/selection.ts'
import { fill, selectionOf, watched } from './watch-fixture.ts'

describe('a selection of checkpointed files', () => {
  verifies(
    ['2.3/checkpointed-files-globs', '2.3/checkpointed-files-gitignore', 'd7/selection-gitignore-rules'],
    'follows gitignore rules over the paths of the workspace',
    async () => {
      const { root, settled } = await watched({
        patterns: ['*.md', '/top.txt', 'src/**/*.ts', 'data/?.csv', '# no'],
      })
      await fill(root, {
        'a.md': '',
        'deep/er/b.md': '',
        'top.txt': '',
        'deep/top.txt': '',
        '# no': '',
        'src/c.ts': '',
        'src/x/y/d.ts': '',
        'lib/e.ts': '',
        'data/1.csv': '',
        'data/12.csv': '',
      })
      expect(await settled()).toEqual([
        'created a.md',
        'created data/1.csv',
        'created deep/er/b.md',
        'created src/c.ts',
        'created src/x/y/d.ts',
        'created top.txt',
      ])
    },
  )

  verifies(['2.3/checkpointed-files-exclusion'], 'leaves out what a pattern with ! matches', async () => {
    const { root, settled, watch } = await watched({ patterns: ['*.md', '!draft-*', 'draft-final.md'] })
    await fill(root, { 'a.md': '', 'draft-1.md': '', 'x/draft-2.md': '', 'draft-final.md': '' })
    expect(await settled()).toEqual(['created a.md', 'created draft-final.md'])
    expect((await watch.tree()).map(({ name }) => name)).toEqual(['a.md', 'draft-final.md'])
  })

  verifies(['d7/selection-directory-name'], 'takes everything under a directory that is named', async () => {
    const { root, settled } = await watched({ patterns: ['notes', '/src/gen/'] })
    await fill(root, {
      'notes/a': '',
      'notes/b/c': '',
      'x/notes/d': '',
      'notes.txt': '',
      'src/gen/e': '',
      'src/gen/f/g': '',
      'src/h': '',
      'x/src/gen/i': '',
    })
    expect(await settled()).toEqual([
      'created notes/a',
      'created notes/b/c',
      'created src/gen/e',
      'created src/gen/f/g',
      'created x/notes/d',
    ])
  })

  it('never takes the data source or a .git, at any depth, whatever the patterns say', async () => {
    const names = ['**', '.git', 'read_only_data_source', '!read_only_data_source/x', 'a/.git/**']
    const { root, settled, trees } = await watched({ patterns: names })
    await fill(root, {
      '.git/config': '',
      'a/.git/HEAD': '',
      'b/.git': 'gitdir: elsewhere',
      'a/b.git': '',
      '.gitignore': '',
      'read_only_data_source/x': '',
      'a/read_only_data_source': 'a file of the agent',
    })
    expect(await settled()).toEqual([
      'created .gitignore',
      'created a/b.git',
      'created a/read_only_data_source',
    ])
    expect(JSON.stringify(trees)).not.toMatch(/HEAD|config|"b"/)
    const selection = selectionOf(names)
    for (const path of ['.git/config', 'a/.git/HEAD', 'read_only_data_source/x', 'b/.git']) {
      expect([selection.selects(path), selection.mayHold(path), selection.covers(path)]).toEqual([
        false,
        false,
        false,
      ])
    }
  })

  it('is a union: what one list leaves out another may take', () => {
    const selection = selectionOf(['*.md', '!secret.md'], ['*.txt'], ['secret.md', '!*.txt'], [])
    expect(['a.md', 'b.txt', 'secret.md', 'c.ts'].filter(selection.selects)).toEqual([
      'a.md',
      'b.txt',
      'secret.md',
    ])
  })

  it('is empty without patterns', () => {
    const selection = selectionOf([])
    expect([selection.selects('a'), selection.covers('a'), selection.mayHold('a')]).toEqual([
      false,
      false,
      false,
    ])
  })

  it('names the pattern at fault', () => {
    const costly = '**/**/**/**/x'
    expect(createSelection([['a'], ['!b', costly]])).toMatchObject({ ok: false, pattern: costly })
  })

  it('stays itself when a list adds nothing', () => {
    const selection = selectionOf(['a', 'b'], ['c', '!d'])
    for (const list of [['b'], ['b', 'a'], [], ['c', '!d']]) {
      expect(selection.with(list)).toEqual({ ok: true, selection })
    }
    expect(selection.with(['!d', 'c'])).not.toEqual({ ok: true, selection })
  })
})

describe('the directories that may hold something selected', () => {
  const table: readonly [pattern: string, yes: readonly string[], no: readonly string[]][] = [
    ['*.md', ['a', 'a/b'], []],
    ['src', ['a', 'src/b'], []],
    ['src/', ['a', 'src/b'], []],
    ['/src', ['src', 'src/b'], ['a', 'a/src', 'srcs']],
    ['/src/', ['src', 'src/b'], ['a']],
    ['src/gen/*.ts', ['src', 'src/gen', 'src/gen/x'], ['src/lib', 'gen']],
    ['a/b', ['a', 'a/b', 'a/b/c'], ['b', 'a/c']],
    ['**/x', ['a', 'b/c'], []],
    ['a/**/x', ['a', 'a/b'], ['b']],
    ['a/[bc]/d', ['a', 'a/b', 'a/x'], ['b']],
    ['a\\ b/c', ['a b', 'x'], []],
    ['a/b ', ['a', 'a/b'], ['b']],
    ['!x', [], ['a']],
    ['# comment', [], ['a']],
  ]
  for (const [pattern, yes, no] of table) {
    it(`of ${JSON.stringify(pattern)}`, () => {
      const { mayHold } = selectionOf([pattern])
      expect([...yes, ...no].filter(mayHold)).toEqual(yes)
      expect(mayHold('')).toBe(pattern !== '!x' && pattern !== '# comment' ? true : mayHold(''))
    })
  }

  it('are all, when there are too many places to compare with', () => {
    const patterns = Array.from({ length: 100 }, (_, place) => `/place-${place}`)
    expect(selectionOf(patterns).mayHold('anywhere')).toBe(true)
  })
})
