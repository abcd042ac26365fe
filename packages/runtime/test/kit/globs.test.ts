import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { threadTime } from '../../../../test/support/thread-time.ts'
import { createMatcher, run } from '../../src/kit/index.ts'
import { tempDir } from './temp-dir.ts'

function matcher(...patterns: readonly string[]) {
  const result = createMatcher(patterns, { maxGlobstars: 4 })
  if (!result.ok) throw new Error(result.message)
  return result
}

describe('a matcher', () => {
  it.each<[readonly string[], string, boolean]>([
    [['*.log'], 'a/b.log', true],
    [['/*.log'], 'a/b.log', false],
    [['build'], 'a/build/deep/file', true],
    [['build/'], 'build', false],
    [['build/'], 'build/file', true],
    [['*', '!keep'], 'keep', false],
    [['*', '!keep'], 'other', true],
    [['dir', '!dir/keep'], 'dir/keep', true],
    [['dir/*', '!dir/keep'], 'dir/keep', false],
    [['a/**/z'], 'a/b/c/z', true],
    [['**/z'], 'z', true],
    [['a/**'], 'a/two\nlines', true],
    [['two\nlines'], 'two\nlines', true],
    [['# comment', ''], '# comment', false],
    [['\\#odd'], '#odd', true],
    [['README'], 'readme', false],
    [['with space'], 'with space', true],
    [['end\\ '], 'end ', true],
    [['ünï/*.mд'], 'ünï/x.mд', true],
    [['a'], './a', true],
    [['a/b'], 'a//b/', true],
    [[], 'a', false],
  ])('with %j and the file %j says %j', (patterns, path, selected) => {
    expect(matcher(...patterns).matches(path, false)).toBe(selected)
  })

  it('knows a directory from a file', () => {
    expect(matcher('build/').matches('build', true)).toBe(true)
  })

  it.each(['', '.', './', '/', '..', '../a', 'a/../../b'])(
    'does not select %j, which is no path inside',
    path => {
      expect(matcher('*').matches(path, true)).toBe(false)
    },
  )

  it('never throws, whatever the patterns and the path', () => {
    const odd = fc.string({
      unit: fc.constantFrom(...Array.from('ab/.*?![]^-\\ #\0\r\n\t:{}()|+$é😀\ud800\u2028')),
    })
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 4 }), odd, fc.boolean(), (patterns, path, isDirectory) => {
        const result = createMatcher(patterns)
        if (result.ok) result.matches(path, isDirectory)
      }),
      { numRuns: 500 },
    )
  })

  it.each<[string, readonly string[], number]>([
    ['too-many-patterns', Array.from({ length: 1001 }, () => 'a'), 1000],
    ['too-long', ['fine', 'a'.repeat(1001)], 1],
    ['too-many-globstars', ['a/**/b/**/c/**/d/**'], 0],
    ['too-many-wildcards', Array.from({ length: 100 }, () => '*?['.repeat(150)), 88],
  ])('is refused as %s', (reason, patterns, index) => {
    expect(createMatcher(patterns)).toMatchObject({ ok: false, reason, index })
  })

  it('is accepted at its limits, which can be moved', () => {
    expect(createMatcher(Array.from({ length: 1000 }, () => 'a')).ok).toBe(true)
    expect(createMatcher(['a'.repeat(1000)]).ok).toBe(true)
    expect(createMatcher(['a'.repeat(4096)], { maxLength: 4096 }).ok).toBe(true)
    expect(createMatcher(['ab'], { maxLength: 1 }).ok).toBe(false)
    expect(createMatcher(['a', 'b'], { maxPatterns: 1 }).ok).toBe(false)
    expect(createMatcher(['*', '*'], { maxWildcards: 1 }).ok).toBe(false)
  })

  it('needs no more than a moment for as much as its limits allow', () => {
    const patterns = Array.from({ length: 1000 }, (_, at) => `${'a*?'.repeat(20)}${at}`)
    const before = threadTime()
    const result = createMatcher(patterns)
    if (result.ok) result.matches('a'.repeat(255), false)
    expect(result.ok).toBe(true)
    expect(threadTime() - before).toBeLessThan(2000)
  })

  it.each(['*a*a*a*a*a*a*a*a*a*a*a*b', 'a/**/a/**/a/**/b', `${'?*'.repeat(100)}b`, '[a-z]*'.repeat(50)])(
    'needs no more than a moment for the pattern %j',
    pattern => {
      const hostile = matcher(pattern)
      const before = threadTime()
      hostile.matches('a'.repeat(255), false)
      hostile.matches(`${'a/'.repeat(40)}c`, false)
      expect(threadTime() - before).toBeLessThan(2000)
    },
  )

  it('gives the same answers after very many questions', () => {
    const long = matcher('*.log')
    for (let path = 0; path < 50_010; path++) long.matches(`${path}`, false)
    expect([long.matches('a.log', false), long.matches('a.txt', false)]).toEqual([true, false])
  })
})

describe('against git', () => {
  const files = [
    'a',
    'b.log',
    'dir/a',
    'dir/b.log',
    'dir/sub/a',
    'dir/sub/c.txt',
    'other/dir/a',
    'with space/x y',
  ]
  const paths = [...files, 'dir', 'dir/sub', 'other', 'other/dir', 'with space']
  const piece = fc.constantFrom(
    'a',
    'b',
    'dir',
    'sub',
    '*',
    '**',
    '?',
    '*.log',
    '[ab]',
    '[!a]',
    'x y',
    'with space',
    'd*',
  )
  const pattern = fc
    .tuple(
      fc.constantFrom('', '', '!'),
      fc.constantFrom('', '', '/'),
      fc.array(piece, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '', '/', '/**'),
    )
    .map(([not, root, pieces, end]) => `${not}${root}${pieces.join('/')}${end}`)
  const list = fc.array(pattern, { minLength: 1, maxLength: 5 })

  it('selects what git would ignore, for random patterns', async () => {
    await using dir = await tempDir()
    const git = (args: readonly string[], input?: string) =>
      run('git', args, {
        cwd: dir.path,
        env: { PATH: process.env['PATH'], HOME: dir.path, GIT_CONFIG_NOSYSTEM: '1' },
        ...(input !== undefined && { input }),
      })
    expect(await git(['init', '-q'])).toMatchObject({ code: 0 })
    const size = 20
    for (let index = 0; index < size; index++) {
      for (const file of files) {
        await mkdir(dirname(dir.file(`${index}/${file}`)), { recursive: true })
        await writeFile(dir.file(`${index}/${file}`), '')
      }
    }

    // Many lists per question, each in a directory of its own: starting git is what takes the time.
    await fc.assert(
      fc.asyncProperty(fc.array(list, { minLength: 1, maxLength: size, size: 'max' }), async lists => {
        for (const [index, patterns] of lists.entries()) {
          await writeFile(dir.file(`${index}/.gitignore`), `${patterns.join('\n')}\n`)
        }
        const asked = lists.flatMap((_, index) => paths.map(path => `${index}/${path}`))
        const answer = await git(['check-ignore', '--no-index', '-z', '--stdin'], asked.join('\0'))
        const ignored = new Set(answer.stdout.split('\0'))
        for (const [index, patterns] of lists.entries()) {
          const ours = matcher(...patterns)
          const selected = paths.filter(path => ours.matches(path, !files.includes(path)))
          expect({ patterns, selected }).toEqual({
            patterns,
            selected: paths.filter(path => ignored.has(`${index}/${path}`)),
          })
        }
      }),
      { numRuns: 20 },
    )
  })
})
