import { execFileSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import {
  codon,
  directoryWith,
  type Json,
  loadIn,
  loadValue,
  loop,
  printed,
  sentinel,
  told,
} from './fixture.ts'

function attaching(...configs: readonly unknown[]): Json {
  return { hank: [codon({ sentinels: configs.map(sentinelConfig => ({ sentinelConfig })) })] }
}

const fromFile = (more: Json) => {
  const { userPromptText: _, ...rest } = sentinel(more)
  return rest
}

describe('a sentinel configuration', () => {
  test('is read from a file or from the hank, with its defaults and its origin', async () => {
    const settings = { failCodonIfNotLoaded: true }
    const hank = {
      hank: [
        codon({
          sentinels: [
            { sentinelConfig: 'watch/s.json', settings },
            { sentinelConfig: sentinel({ id: 'b' }) },
          ],
        }),
        loop({
          codons: [
            codon({ id: 'inner', onFailure: 'abort', sentinels: [{ sentinelConfig: 'watch/s.json' }] }),
          ],
        }),
      ],
    }
    const dir = await directoryWith({ 'hank.json': hank, 'watch/s.json': sentinel() })
    const { sentinels } = await loadIn(dir)
    expect(sentinels).toMatchObject([
      {
        codon: 'hank[0]',
        config: { id: 'narrator', joinString: '\n---\n' },
        settings,
        sourcePath: 'watch/s.json',
        base: 'watch',
      },
      { codon: 'hank[0]', config: { id: 'b' }, settings: {}, base: '' },
      {
        codon: 'hank[1].codons[0]',
        codonId: 'inner',
        config: { id: 'narrator' },
        settings: {},
        sourcePath: 'watch/s.json',
      },
    ])
    expect(sentinels[1]).not.toHaveProperty('sourcePath')
  })

  verifies(
    ['7.3/load-invalid-sentinel-config'],
    'that is wrong stops the load and names file and place',
    async () => {
      const inline = await loadValue(attaching(sentinel({ model: '' })))
      expect(inline.hank).toBeUndefined()
      expect(printed(inline)).toEqual([
        'hank.json:14:22: error: hank[0].sentinels[0].sentinelConfig.model: expected a non-empty string, found an empty string',
      ])

      const dir = await directoryWith({
        'hank.json': attaching('s/a.json', 's/b.json', 's/c.json'),
        's/a.json': sentinel({ id: 'a', model: '', zzz: 1 }),
        's/b.json': '{ "id": "b" ',
        's/c.json': '[]',
      })
      const file = await loadIn(dir)
      expect(file.hank).toBeUndefined()
      expect(printed(file)).toEqual([
        's/a.json:4:12: error: model: expected a non-empty string, found an empty string',
        expect.stringMatching(
          /^s\/a\.json:15:3: error: Unknown field zzz\. Valid fields here: \$schema, id, name/,
        ),
        's/b.json:1:13: error: expected a closing } before the end of the file, in the line `{ "id": "b"`',
        's/c.json:1:1: error: expected an object, found an empty list',
      ])
    },
  )

  test('in a file that several codons share is told once', async () => {
    const codons = ['a', 'b', 'c'].map(id =>
      codon({ id, name: id, sentinels: [{ sentinelConfig: 's.json' }] }),
    )
    const dir = await directoryWith({ 'hank.json': { hank: codons }, 's.json': sentinel({ name: '' }) })
    expect(told(await loadIn(dir)).filter(line => line.startsWith('name'))).toHaveLength(1)
  })

  test('may be attached once to a codon, and to many codons', async () => {
    const dir = await directoryWith({ 'hank.json': attaching('s.json', sentinel()), 's.json': sentinel() })
    const loaded = await loadIn(dir)
    expect(loaded.hank).toBeUndefined()
    expect(told(loaded)).toEqual([
      'hank[0].sentinels[1].sentinelConfig: Codon 1 (draft): two sentinels have the id narrator; the other is hank[0].sentinels[0].sentinelConfig. Give one of them another id',
    ])
    const twice = await directoryWith({ 'hank.json': attaching('s.json', './s.json'), 's.json': sentinel() })
    expect(told(await loadIn(twice))).toEqual([
      'hank[0].sentinels[1].sentinelConfig: Codon 1 (draft): the sentinel s.json is attached twice, first at hank[0].sentinels[0].sentinelConfig; remove one, or attach a copy of the file with another id',
    ])
  })

  test.each<[string, (dir: string) => Promise<unknown>, string]>([
    [
      'a link',
      dir => symlink('real.json', join(dir, 's.json')),
      's.json passes through a symlink at s.json; symlinks are not allowed in hank refs',
    ],
    [
      'a pipe',
      async dir => execFileSync('mkfifo', [join(dir, 's.json')]),
      'Codon 1 (draft): sentinelConfig s.json is not a regular file',
    ],
    ['missing', async () => undefined, 'Codon 1 (draft): sentinelConfig s.json does not exist'],
  ])('that is %s stops the load', async (_, plant, message) => {
    const dir = await directoryWith({ 'hank.json': attaching('s.json'), 'real.json': sentinel() })
    await plant(dir)
    expect(told(await loadIn(dir))).toEqual([`hank[0].sentinels[0].sentinelConfig: ${message}`])
  })

  test('is refused when it is very large', async () => {
    const dir = await directoryWith({
      'hank.json': attaching('s.json'),
      's.json': sentinel({ description: 'x'.repeat(1024 * 1024) }),
    })
    expect(told(await loadIn(dir))).toEqual([
      'hank[0].sentinels[0].sentinelConfig: Codon 1 (draft): sentinelConfig s.json is larger than 1 MiB',
    ])
  })

  test('has no `__proto__`, not even where anything goes', async () => {
    const text = JSON.stringify(sentinel()).replace(
      /}$/,
      ', "structuredOutput": {"output": "object", "schema": {"__proto__": {}}}}',
    )
    const dir = await directoryWith({ 'hank.json': attaching('s.json'), 's.json': text })
    expect(told(await loadIn(dir))).toEqual([
      'structuredOutput.schema.__proto__: __proto__ is a reserved name',
    ])
  })
})

describe('the files that a configuration names', () => {
  const references = (path: string) => ({
    systemPromptFile: path,
    userPromptFile: path,
    structuredOutput: { output: 'object', schemaFile: path },
  })

  verifies(
    [
      '2.5/system-prompt-file-base',
      '2.5/user-prompt-file-base',
      '2.5/schema-file-base',
      '2.11/base-sentinel-references',
    ],
    'are looked for beside it, and may be elsewhere in the hank directory',
    async () => {
      const beside = await directoryWith({
        'hank.json': attaching('watch/deep/s.json'),
        'watch/deep/s.json': fromFile(references('file.json')),
        'watch/deep/file.json': '{}',
      })
      expect((await loadIn(beside)).hank).toBeDefined()

      const above = await directoryWith({
        'hank.json': attaching('watch/deep/s.json'),
        'watch/deep/s.json': fromFile(references('../../file.json')),
        'file.json': '{}',
      })
      expect((await loadIn(above)).hank).toBeDefined()

      const elsewhere = await directoryWith({
        'hank.json': attaching('watch/s.json'),
        'watch/s.json': fromFile(references('file.json')),
        'file.json': '{}',
      })
      expect(printed(await loadIn(elsewhere))).toEqual([
        'watch/s.json:14:23: error: systemPromptFile: Sentinel narrator: systemPromptFile file.json does not exist; did you mean ../file.json?',
        'watch/s.json:15:21: error: userPromptFile: Sentinel narrator: userPromptFile file.json does not exist; did you mean ../file.json?',
        'watch/s.json:18:19: error: structuredOutput.schemaFile: Sentinel narrator: schemaFile file.json does not exist; did you mean ../file.json?',
      ])
    },
  )

  verifies(['2.5/references-contained'], 'stay in the hank directory, like all references', async () => {
    const said = async (path: string, more: Json = {}) => {
      const files = {
        'hank.json': attaching('watch/s.json'),
        'watch/s.json': fromFile(references(path)),
        ...more,
      }
      const dir = await directoryWith(files)
      await symlink('real.json', join(dir, 'watch/link.json'))
      const { problems, hank } = await loadIn(dir)
      expect(hank).toBeUndefined()
      return { dir, messages: new Set(problems.map(({ message }) => message)) }
    }
    const out = await said('../../x.json')
    expect([...out.messages]).toEqual([
      `../../x.json resolves outside the hank directory (${join(dirname(out.dir), 'x.json')}); move the file into the hank directory`,
    ])
    expect([...(await said('/x.json')).messages]).toEqual([
      '/x.json is an absolute or drive-qualified path; hank refs must be relative paths inside the hank directory',
    ])
    expect([...(await said('link.json', { 'watch/real.json': '{}' })).messages]).toEqual([
      'link.json passes through a symlink at watch/link.json; symlinks are not allowed in hank refs',
    ])
  })

  test('start from the hank directory when the configuration is in the hank', async () => {
    const dir = await directoryWith({
      'hank.json': attaching(fromFile({ userPromptFile: 'a.md' })),
      'a.md': 'x',
    })
    expect((await loadIn(dir)).hank).toBeDefined()
    const lost = await loadValue(attaching(fromFile({ userPromptFile: 'a.md' })))
    expect(printed(lost)).toEqual([
      'hank.json:24:31: error: hank[0].sentinels[0].sentinelConfig.userPromptFile: Sentinel narrator: userPromptFile a.md does not exist',
    ])
  })

  test.each([
    [
      'no JSON',
      'schema.json:1:1: error: "no" is not JSON: keys and strings need double quotes, the only other words are true, false and null, in the line `no JSON`',
    ],
    ['[]', 'schema.json:1:1: error: a JSON Schema must be an object'],
  ])('must be JSON Schemas where these are wanted, unlike %j', async (text, message) => {
    const structuredOutput = { output: 'object', schemaFile: 'schema.json' }
    const dir = await directoryWith({
      'hank.json': attaching(sentinel({ structuredOutput })),
      'schema.json': text,
    })
    expect(printed(await loadIn(dir))).toEqual([message])
  })
})

verifies(['d10/path-escape'], 'an output path that leaves its directory stops the load', async () => {
  const settled = (outputPaths: Json) => ({
    hank: [codon({ sentinels: [{ sentinelConfig: sentinel(), settings: { outputPaths } }] })],
  })
  expect((await loadValue(settled({ logFile: 'log.md', lastValueFile: 'notes/last.md' }))).hank).toBeDefined()
  const left = await loadValue(settled({ logFile: 'a/../../log.md', lastValueFile: '..' }))
  expect(left.hank).toBeUndefined()
  const where = 'hank[0].sentinels[0].settings.outputPaths'
  expect(told(left)).toEqual([
    `${where}.logFile: Codon 1 (draft): logFile a/../../log.md leaves the agent workspace`,
    `${where}.lastValueFile: Codon 1 (draft): lastValueFile .. leaves the directory of the sentinel`,
  ])

  const configured = await loadValue(attaching(sentinel({ output: { format: 'text', file: '../x' } })))
  expect(configured.hank).toBeUndefined()
  expect(told(configured)).toEqual([
    'hank[0].sentinels[0].sentinelConfig.output.file: ../x leaves the agent workspace',
  ])
})

describe('a pattern of a condition', () => {
  const matching = (value: string, more: Json = {}) =>
    sentinel({
      trigger: {
        type: 'event',
        on: ['tool.result'],
        conditions: [{ operator: 'matches', path: 'a', value }],
      },
      ...more,
    })

  test('must be one that can be tried in linear time, in the hank and in a file', async () => {
    const at = 'trigger.conditions[0].value'
    const inline = await loadValue(attaching(matching('(')))
    expect(told(inline)).toEqual([
      `hank[0].sentinels[0].sentinelConfig.${at}: is not a valid regular expression: missing closing ): \`(\``,
    ])
    const file = await loadValue(attaching('s.json'), { 's.json': matching('(?=x)') })
    expect(told(file)).toEqual([
      expect.stringContaining(`${at}: is not a valid regular expression: looking around`),
    ])
    const long = await loadValue(attaching('s.json'), { 's.json': matching('a'.repeat(1001)) })
    expect(told(long)).toEqual([`${at}: the pattern is longer than 1000 characters`])
    const greedy = await loadValue(attaching('s.json'), { 's.json': matching('(a|b){900}') })
    expect(told(greedy)).toEqual([`${at}: the pattern repeats too much; use smaller counts`])
    expect(told(await loadValue(attaching(matching('(a+)+$'))))).toEqual([])
  })

  test('inside a step of a sequence is checked, too', async () => {
    const pattern = [{ type: 'tool.result', conditions: [{ operator: 'matches', path: 'a', value: '[' }] }]
    const trigger = { type: 'sequence', interestFilter: { on: ['*'] }, pattern }
    const loaded = await loadValue(attaching('s.json'), { 's.json': sentinel({ trigger }) })
    expect(told(loaded)).toEqual([
      expect.stringContaining('trigger.pattern[0].conditions[0].value: is not a valid regular expression'),
    ])
  })
})

test('a schema that no output could be compared with is an error, in the hank and in a file', async () => {
  const odd = { type: 'object', properties: { a: { not: { type: 'string' } } } }
  const inline = sentinel({ structuredOutput: { output: 'object', schema: odd } })
  const why = 'the JSON Schema cannot be used: not is not supported'
  expect(told(await loadValue(attaching(inline)))).toEqual([
    expect.stringContaining(`hank[0].sentinels[0].sentinelConfig.structuredOutput.schema: ${why}`),
  ])
  const named = sentinel({ structuredOutput: { output: 'array', schemaFile: 'odd.json' } })
  expect(told(await loadValue(attaching('s.json'), { 's.json': named, 'odd.json': odd }))).toEqual([
    expect.stringContaining(`: ${why}`),
  ])
  const fine = {
    $ref: '#/$defs/a',
    $defs: { a: { type: 'object', properties: { next: { $ref: '#/$defs/a' } } } },
  }
  expect(told(await loadValue(attaching('s.json'), { 's.json': named, 'odd.json': fine }))).toEqual([])
})
