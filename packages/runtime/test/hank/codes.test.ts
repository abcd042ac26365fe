import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { problemCodes } from '@weave/protocol'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { root } from '../../../../test/support/weave-command.ts'
import { loadHank } from '../../src/hank/checks/load.ts'
import type { Edit, Problem } from '../../src/kit/index.ts'
import { codon, contextIn, directoryWith, type Json, loadValue, sentinel } from './fixture.ts'

const page = readFileSync(join(root, 'docs/validate.md'), 'utf8')

/** The text with edits applied, the last one first. */
function applied(text: string, edits: readonly Edit[]): string {
  const lines = text.split('\n')
  const offset = ({ line, column }: Edit['start']) =>
    lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1
  return edits.reduceRight(
    (whole, { start, end, text: put }) => whole.slice(0, offset(start)) + put + whole.slice(offset(end)),
    text,
  )
}

const errorsOf = (problems: readonly Problem[]) => problems.filter(({ severity }) => severity === 'error')

describe('the table of codes', () => {
  verifies(['codes/listed'], 'has a sentence and an anchor of the handbook for each', () => {
    for (const [code, sentence] of Object.entries(problemCodes)) {
      expect(code).toMatch(/^[a-z]+\/[a-z-]+$/)
      expect(sentence).toMatch(/^[A-Z].*\.$/)
      expect(page).toContain(`<a id="${code.replace('/', '-')}"></a>\`${code}\` | ${sentence}`)
    }
    const anchors = [...page.matchAll(/<a id="([^"]+)"/g)].map(([, anchor]) => anchor)
    expect(anchors).toEqual(Object.keys(problemCodes).map(code => code.replace('/', '-')))
  })

  verifies(['codes/stable'], 'is the list that other people rely on: nothing of it may go or change', () => {
    const pinned = readFileSync(join(root, 'packages/runtime/test/hank/codes.txt'), 'utf8').trim().split('\n')
    expect(Object.keys(problemCodes)).toEqual(pinned)
  })

  test('names no code that no check tells', () => {
    const source = filesIn(join(root, 'packages/runtime/src'))
      .map(file => readFileSync(file, 'utf8'))
      .join('\n')
    const families = ['hank', 'sentinel', 'settings', 'model', 'rehearsal']
    const faults = ['unknown-field', 'missing-field', 'type', 'range', 'enum', 'value', 'too-many']
    const ofShapes = new Set(families.flatMap(family => faults.map(fault => `${family}/${fault}`)))
    // Spelled together where the reason of a refused path is known.
    const ofPaths = new Set(
      ['absolute', 'backslash', 'nul', 'outside', 'symlink', 'unreadable'].map(why => `path/${why}`),
    )
    const silent = Object.keys(problemCodes).filter(
      code => !source.includes(`'${code}'`) && !ofShapes.has(code) && !ofPaths.has(code),
    )
    expect(silent).toEqual([])
  })
})

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => join(folder, name))
}

describe('a problem of a hank', () => {
  const oneOfEach: readonly [code: string, hank: Json][] = [
    ['hank/unknown-field', { hank: [codon({ zzz: 1 })] }],
    ['hank/missing-field', { hank: [{ ...codon(), id: undefined }] }],
    ['hank/type', { hank: [codon({ promptText: 5 })] }],
    ['hank/range', { hank: [codon({ onFailure: 'retry', retryConfig: { maxAttempts: 20 } })] }],
    ['hank/enum', { hank: [codon({ continuationMode: 'continue' })] }],
    ['hank/duplicate-id', { hank: [codon(), codon({ name: 'B' })] }],
    ['hank/retry', { hank: [codon({ retryConfig: { maxAttempts: 2 } })] }],
    ['hank/prompt', { hank: [{ ...codon(), promptText: undefined }] }],
    ['path/missing', { hank: [codon({ promptFile: 'no.md' })] }],
    ['path/absolute', { hank: [codon({ promptFile: '/no.md' })] }],
    ['path/outside', { hank: [codon({ promptFile: '../no.md' })] }],
    ['path/backslash', { hank: [codon({ promptFile: 'a\\b.md' })] }],
    ['rig/target', { hank: [codon({ rigSetup: [{ type: 'copy', copy: { from: 'a', to: '/b' } }] })] }],
    ['env/missing', { requirements: { env: ['NO_SUCH'] }, hank: [codon()] }],
    [
      'sentinel/unknown-field',
      { hank: [codon({ sentinels: [{ sentinelConfig: { ...sentinel(), zzz: 1 } }] })] },
    ],
    [
      'sentinel/duplicate-id',
      { hank: [codon({ sentinels: [sentinel(), sentinel()].map(sentinelConfig => ({ sentinelConfig })) })] },
    ],
  ]

  verifies(['codes/problems'], 'carries the code of its rule, its place and where that ends', async () => {
    for (const [code, hank] of oneOfEach) {
      const found = errorsOf((await loadValue(hank)).problems)
      expect(found.map(problem => problem.code)).toEqual([code])
      for (const { place, end } of found) {
        expect(end?.file).toBe('hank.json')
        const isAfter = end && place && (end.line > place.line || end.column > place.column)
        expect(isAfter).toBe(true)
      }
    }
  })

  verifies(
    ['codes/fixes'],
    'has a fix where the cure is mechanical, which removes it and adds none',
    async () => {
      const cases: readonly [Json, Readonly<Record<string, string>>][] = [
        [{ hank: [codon({ promptTxt: 'x', promptText: undefined })] }, {}],
        [{ hank: [codon({ continuationMode: 'continue-prev' }), codon({ id: 'b', name: 'B' })] }, {}],
        [{ hank: [codon({ promptFile: 'prompt.md', promptText: undefined })] }, { 'Prompt.md': 'Hello.' }],
      ]
      for (const [hank, files] of cases) {
        const dir = await directoryWith({ ...files, 'hank.json': hank })
        const before = await loadHank(undefined, contextIn(dir))
        const [fix] = errorsOf(before.problems).flatMap(({ fixes = [] }) => fixes)
        const text = readFileSync(join(dir, 'hank.json'), 'utf8')
        const mended = applied(text, fix?.edits ?? [])
        const path = join(dir, 'hank.json')
        const overlay = (asked: string) => (asked === path ? mended : undefined)
        const after = await loadHank(undefined, { ...contextIn(dir), overlay })
        expect(errorsOf(after.problems)).toEqual([])
      }
    },
  )

  test('has no fix that would write a key twice', async () => {
    const { problems } = await loadValue({ hank: [codon({ promptTxt: 'x' })] })
    expect(problems.flatMap(({ fixes = [] }) => fixes).map(({ title }) => title)).not.toContain(
      'Rename it to promptText',
    )
  })
})

describe('texts that an editor has not saved', () => {
  verifies(['codes/overlay'], 'count instead of the files, in the hank and in what it names', async () => {
    const dir = await directoryWith({
      'hank.json': { hank: [codon({ promptFile: 'p.md', sentinels: [{ sentinelConfig: 's.json' }] })] },
      'p.md': 'Hello.',
      's.json': sentinel(),
    })
    const load = (texts: Readonly<Record<string, string>>) =>
      loadHank(undefined, {
        ...contextIn(dir),
        overlay: path => texts[path.slice(dir.length + 1)],
      }).then(({ problems }) => problems.map(({ code, place }) => `${place?.file} ${code}`))
    expect(await load({})).toEqual([])
    expect(await load({ 'hank.json': '{' })).toEqual(['hank.json json/syntax'])
    expect(await load({ 'p.md': ' ' })).toEqual(['hank.json hank/prompt-empty'])
    expect(await load({ 's.json': '{"id": 1}' })).toContain('s.json sentinel/type')
    expect(
      await load({
        's.json': JSON.stringify({ ...sentinel(), userPromptText: undefined, userPromptFile: 'q.md' }),
      }),
    ).toEqual(['s.json path/missing'])
    expect(
      await load({
        's.json': JSON.stringify({ ...sentinel(), userPromptText: undefined, userPromptFile: 'q.md' }),
        'q.md': 'x',
      }),
    ).toEqual([])
  })

  test('may be of a file that is not on the disk at all', async () => {
    const dir = await directoryWith({})
    const text = JSON.stringify({ hank: [codon()] })
    const overlay = (path: string) => (path === join(dir, 'hank.json') ? text : undefined)
    expect((await loadHank(undefined, { ...contextIn(dir), overlay })).hank).toBeDefined()
  })
})
