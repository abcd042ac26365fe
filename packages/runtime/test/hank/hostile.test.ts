import { execFileSync } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { LoadedHank } from '../../src/hank/checks/load.ts'
import { codon, directoryWith, type Json, loadIn, loadValue, sentinel, told } from './fixture.ts'

/** In milliseconds of processor time: a second or less on most machines, three on slow ones, minutes if it were quadratic. */
const aMoment = 4_000

/** The messages of a load that takes but a moment; when the machine is busy, of the quickest of three. */
async function quickly(load: () => Promise<LoadedHank>): Promise<readonly string[]> {
  let quickest = Number.POSITIVE_INFINITY
  for (let attempt = 1; ; attempt++) {
    const before = process.cpuUsage()
    const { problems, hank } = await load()
    const { user, system } = process.cpuUsage(before)
    quickest = Math.min(quickest, (user + system) / 1_000)
    if (quickest > aMoment && attempt < 3) continue
    expect(quickest).toBeLessThan(aMoment)
    expect(hank).toBeUndefined()
    expect(problems.every(({ place }) => place !== undefined)).toBe(true)
    return problems.map(({ message }) => message)
  }
}

const deep = 100_000
const tooDeep = 'values are nested more than 64 levels deep'

describe('a file made to hurt gets its verdict in a moment', () => {
  test.each<[string, () => string | Uint8Array, string]>([
    ['lists in lists', () => '['.repeat(deep) + ']'.repeat(deep), tooDeep],
    ['objects in objects', () => `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`, tooDeep],
    ['a hank deep down', () => `{"hank": ${'[{"codons":'.repeat(deep)}`, tooDeep],
    ['20 MB', () => `{"hank": "${'x'.repeat(20_000_000)}"}`, 'hank.json is larger than 10 MiB'],
    ['10 MB of spaces', () => ' '.repeat(10_000_000), 'the file has more than 100000 blanks in a row'],
    [
      '10 MB of numbers',
      () => `{"hank": [${'1,'.repeat(5_000_000)}1]}`,
      'the file has more than 1000000 values',
    ],
    [
      '10 MB of objects',
      () => `{"hank": [${'{},'.repeat(3_000_000)}1]}`,
      'the file has more than 1000000 values',
    ],
    ['10 MB of words', () => `[${'1 '.repeat(5_000_000)}`, 'the file has more than 1000000 values'],
    ['10 MB of quotes', () => '"'.repeat(10_000_001), expect.any(String)],
    [
      '10 MB of bytes that are no text',
      () => Buffer.alloc(10_000_000, 0xff),
      'the line is not valid UTF-8; save the file as UTF-8',
    ],
  ])('%s', async (_, text, message) => {
    const dir = await directoryWith({ 'hank.json': text() })
    expect(await quickly(() => loadIn(dir))).toEqual([message])
  })

  test.each([
    ['items', '{"hank": [', ']}'],
    ['codons of a loop', '{"hank": [{"type": "loop", "codons": [', ']}]}'],
  ])('two hundred thousand wrong %s', async (_, start, end) => {
    const messages = await quickly(() => loadValue(`${start}${'1,'.repeat(200_000)}1${end}`))
    expect(messages.length).toBeLessThan(1_010)
    expect(messages.at(-1)).toBe('there are more than 1000 problems; the rest of the list is not checked')
  })

  test('many unknown fields, or far too many', async () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`promptFil${at}`, at]))
    const many = await quickly(() => loadValue({ hank: [codon(fields(10_000))] }))
    expect(many.length).toBeLessThan(300)
    expect(many).toContainEqual(expect.stringMatching(/^… and \d+ more problems$/))
    const tooMany = await loadValue({ hank: [codon({ budget: fields(100_000) })] })
    expect(told(tooMany)).toEqual(['hank[0].budget: an object has more than 20000 keys'])
  })

  test('one unknown field with a name of five million letters', async () => {
    const [message = ''] = await quickly(() => loadValue({ hank: [codon({ ['x'.repeat(5_000_000)]: 1 })] }))
    expect(message.length).toBeLessThan(1_000)
  })

  test.each<[string, () => Json, RegExp]>([
    [
      'many wildcards',
      () => ({ checkpointedFiles: Array.from({ length: 900 }, (_, at) => `${at}${'*a'.repeat(450)}`) }),
      /more than 40000 wildcards/,
    ],
    [
      'just allowed wildcards',
      () => ({
        checkpointedFiles: [
          ...Array.from({ length: 600 }, (_, at) => `${at}${'*a'.repeat(64)}`),
          'x'.repeat(1001),
        ],
      }),
      /is longer than 1000 characters$/,
    ],
    [
      'many patterns',
      () => ({ archiveOnSuccess: Array.from({ length: 200_000 }, () => 'a*') }),
      /archiveOnSuccess holds more than 1000 patterns/,
    ],
    ['long patterns', () => ({ outputFiles: [{ copy: ['['.repeat(1_000_000)] }] }), /wildcards/],
    ['deep patterns', () => ({ checkpointedFiles: ['**/a/'.repeat(10)] }), /the pattern .* is too costly/],
  ])('globs: %s', async (_, fields, message) => {
    const messages = await quickly(() => loadValue({ hank: [codon(fields())] }))
    expect(messages.join('\n')).toMatch(message)
    expect(messages.every(each => each.length < 500)).toBe(true)
  })

  test('many different patterns over many codons', async () => {
    const hank = Array.from({ length: 30 }, (_, at) =>
      codon({
        id: `c${at}`,
        name: `c${at}`,
        checkpointedFiles: Array.from({ length: 1000 }, (_, n) => `${at}/${n}`),
      }),
    )
    expect(await quickly(() => loadValue({ hank }))).toContain(
      'the hank holds more than 20000 different patterns',
    )
  })

  test('pipes, devices, directories and links in every place of a file', async () => {
    const dir = await directoryWith({
      'hank.json': {
        globalSystemPromptFile: 'pipe',
        hank: [
          codon({
            promptFile: ['pipe', 'folder', 'loop-a'],
            appendSystemPromptFile: 'pipe',
            rigSetup: [{ type: 'copy', copy: { from: 'pipe', to: 'x' } }],
            sentinels: [
              { sentinelConfig: 'pipe' },
              { sentinelConfig: sentinel({ systemPromptFile: 'pipe' }) },
            ],
          }),
        ],
      },
      'folder/x': '',
    })
    execFileSync('mkfifo', [join(dir, 'pipe')])
    await symlink('loop-b', join(dir, 'loop-a'))
    await symlink('loop-a', join(dir, 'loop-b'))
    expect(await quickly(() => loadIn(dir))).toHaveLength(8)
  })

  test('a hank.json that is a pipe', async () => {
    const dir = await directoryWith({})
    execFileSync('mkfifo', [join(dir, 'hank.json')])
    expect(await quickly(() => loadIn(dir))).toEqual(['hank.json is not a regular file'])
  })

  test('a sentinel file that is nested very deeply, or full of the same key', async () => {
    const dir = await directoryWith({
      'hank.json': {
        hank: [codon({ sentinels: [{ sentinelConfig: 'deep.json' }, { sentinelConfig: 'twice.json' }] })],
      },
      'deep.json': '['.repeat(deep),
      'twice.json': `{${'"a":1,'.repeat(150_000)}"a":1}`,
    })
    const messages = await quickly(() => loadIn(dir))
    expect(messages[0]).toBe(tooDeep)
  })
})

describe('what a hank names is not endless', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `f${at}`)
  const tooMany = 'the hank names more than 20000 different files'

  test.each<[string, Json]>([
    ['prompts', { promptFile: many(20_001) }],
    ['trees', { rigSetup: many(20_001).map(from => ({ type: 'copy', copy: { from, to: 'x' } })) }],
    ['sentinels', { sentinels: many(20_001).map(sentinelConfig => ({ sentinelConfig })) }],
  ])('neither in %s', async (_, fields) => {
    expect(await quickly(() => loadValue({ hank: [codon(fields)] }))).toEqual([tooMany])
  })

  test('nor in what is said about it', async () => {
    const fields = {
      promptFile: many(3_000),
      rigSetup: many(3_000).map(from => ({ type: 'copy', copy: { from, to: from } })),
      sentinels: many(3_000).map(sentinelConfig => ({ sentinelConfig })),
    }
    const messages = await quickly(() => loadValue({ hank: [codon(fields)] }))
    expect(messages.length).toBeLessThan(2_100)
    const rest = 'there are more than 1000 problems with files; the rest is not checked'
    expect(messages.filter(message => message === rest)).toHaveLength(2)
  })

  test('nor in a command', async () => {
    const run = 'x'.repeat(131_072)
    const messages = await quickly(() =>
      loadValue({ hank: [codon({ rigSetup: [{ type: 'command', command: { run } }] })] }),
    )
    expect(messages).toEqual([
      'Codon 1 (draft): the command is longer than 131071 bytes, which no system runs',
    ])
  })
})

test('ten thousand codons load in time that grows with their number', async () => {
  const manyCodons = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      codon({
        id: `codon-${at}`,
        name: `Codon ${at}`,
        promptText: undefined,
        promptFile: `p${at % 100}.md`,
        description: 'x'.repeat(250),
        checkpointedFiles: ['src/**', '!*.log'],
        rigSetup: [{ type: 'copy', copy: { from: 'tree', to: 'x' }, allowFailure: true }],
      }),
    )
  const files = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`p${at}.md`, 'Hello.']))
  const dir = await directoryWith({ ...files, 'tree/a': '' })
  const time = async (count: number) => {
    await writeFile(join(dir, 'hank.json'), JSON.stringify({ hank: manyCodons(count) }))
    const before = performance.now()
    const loaded = await loadIn(dir)
    expect(loaded.counts.codons).toBe(count)
    expect(loaded.hank).toBeDefined()
    return performance.now() - before
  }
  await time(500)
  const some = await time(2_500)
  const many = await time(10_000)
  expect(many).toBeLessThan(Math.max(some * 12, 1_000))
})
