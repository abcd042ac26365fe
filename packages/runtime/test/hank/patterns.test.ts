import { describe, expect, test } from 'vitest'
import { neverMatches } from '../../src/hank/checks/patterns.ts'
import { createMatcher } from '../../src/kit/index.ts'
import { codon, type Json, loadValue, loop, told } from './fixture.ts'

async function saidAbout(more: Json): Promise<readonly string[]> {
  return told(await loadValue({ hank: [codon(more)] }))
}

const fromWorkspace = 'Write the path from the agent workspace on.'

describe('a pattern that can never match', () => {
  test.each([
    ['../other/**', `it leaves the workspace. ${fromWorkspace}`],
    ['src/../../x', `it leaves the workspace. ${fromWorkspace}`],
    ['C:/x/**', `it begins with a drive. ${fromWorkspace}`],
    ['d:\\x\\*', `it begins with a drive. ${fromWorkspace}`],
    ['src\\main.ts', 'a \\ is no separator. Write / between directories.'],
    ['<%AGENT_ROOT%>/out/**', `variables count only in prompts. ${fromWorkspace}`],
    ['./src/**', 'names are compared as they are. Write src/**.'],
    ['src//a/./b/', 'names are compared as they are. Write src/a/b/.'],
    ['./', 'names are compared as they are. Write **.'],
    ['# notes', 'it is a comment. Write \\# for a name that begins with #.'],
    [' ', 'it is blank. Remove it.'],
    [
      'notes*.{md',
      'braces offer no choice, they are compared as they are. Write a pattern for each name, and [{] for a brace.',
    ],
  ])('gets a warning: %j', async (pattern, why) => {
    const end = `the pattern ${pattern} never matches: ${why}`
    expect(
      await saidAbout({
        checkpointedFiles: ['**', pattern],
        archiveOnSuccess: [pattern],
        outputFiles: [{ copy: [pattern] }],
      }),
    ).toEqual(
      [
        `hank[0].checkpointedFiles[1]: Codon 1 (draft): checkpointedFiles: ${end}`,
        `hank[0].outputFiles[0].copy[0]: Codon 1 (draft): outputFiles copy: ${end}`,
        `hank[0].archiveOnSuccess[0]: Codon 1 (draft): archiveOnSuccess: ${end}`,
      ].sort((left, right) => order(left) - order(right)),
    )
    expect(neverMatches(`!${pattern}`) === undefined).toBe(pattern.startsWith('#'))
  })

  test('is told of in a loop, and a hundred times at most', async () => {
    const hank = [
      loop({ archiveOnSuccess: ['../x'] }),
      codon({ id: 'b', checkpointedFiles: Array.from({ length: 300 }, (_, at) => `../${at}`) }),
    ]
    const said = told(await loadValue({ hank }))
    expect(said[0]).toBe(
      `hank[0].archiveOnSuccess[0]: Loop 1 (fix): archiveOnSuccess: the pattern ../x never matches: it leaves the workspace. ${fromWorkspace}`,
    )
    expect(said).toHaveLength(101)
    expect(said.at(-1)).toContain('… and 201 more of this kind')
  })

  test.each([
    '/src/**',
    '/home/user/**',
    '~/x',
    'a b',
    '*.md',
    '**/..x',
    '...',
    'end\\ ',
    '\\#odd',
    '\\!x',
    'a\\*b',
  ])('is not %j', async pattern => {
    expect(await saidAbout({ checkpointedFiles: [pattern] })).toEqual([])
  })

  test('really matches nothing that it seems to mean', () => {
    for (const [pattern, path] of [
      ['../a', 'a'],
      ['./src/**', 'src/a'],
      ['src//a', 'src/a'],
      ['src/./a', 'src/a'],
      ['# a', '# a'],
    ] as const) {
      const matcher = createMatcher([pattern])
      expect(matcher.ok && matcher.matches(path, false)).toBe(false)
      expect(neverMatches(pattern)).toBeDefined()
    }
  })
})

/** The order of the fields in the file. */
function order(line: string): number {
  return ['checkpointedFiles', 'archiveOnSuccess', 'outputFiles'].findIndex(field =>
    line.includes(`].${field}`),
  )
}

describe('patterns that only take away', () => {
  test('get a warning, for they select nothing', async () => {
    expect(await saidAbout({ checkpointedFiles: ['!node_modules/**'] })).toEqual([
      'hank[0].checkpointedFiles: Codon 1 (draft): checkpointedFiles selects nothing, because each of its patterns takes away. Begin with one that selects, such as "**".',
    ])
    expect(await saidAbout({ outputFiles: [{ copy: ['!a', '!b'] }] })).toEqual([
      'hank[0].outputFiles[0].copy: Codon 1 (draft): outputFiles copy selects nothing, because each of its patterns takes away. Begin with one that selects, such as "**".',
    ])
    expect(await saidAbout({ checkpointedFiles: ['**', '!node_modules/**'] })).toEqual([])
    expect(await saidAbout({ checkpointedFiles: [] })).toEqual([])
  })
})
