import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createRedactor } from '../../src/kit/index.ts'
import { event } from './observed-events.ts'
import { attachment, draft, fakeModel, type Scene, says, scene } from './scene.ts'

const ended = { reason: 'codon-complete' } as const

/** Lets the sentinels see so many events and end. */
async function watched({ load }: Scene, count = 2, codon = draft): Promise<void> {
  const attached = await load(codon)
  for (let n = 0; n < count; n++) attached.route(event('info', { n }))
  await attached.finish(ended)
}

const counting = () => fakeModel((_, index) => says(`output ${index}`))
const lines = (value: unknown) => fakeModel(() => says(JSON.stringify(value), value))
const read = (...path: readonly string[]) => readFile(join(...path), 'utf8')
const structured = { structuredOutput: { output: 'object', schema: { type: 'object' } } }

describe('the files of a sentinel', () => {
  verifies(
    [
      'd10/path-default',
      '2.5/log-file-default',
      '2.5/last-value-file-default',
      '2.8/sentinel-persistence-saves',
      'd3/sentinel-directory',
    ],
    'lie in its own directory under the runtime id, private, outputs joined by the join string',
    async () => {
      const here = await scene([attachment()], { model: counting() })
      await watched(here, 2, { ...draft, id: 'draft#1' })
      const own = join(here.internals, 'narrator')
      expect((await readdir(own)).sort()).toEqual(['draft#1.last.md', 'draft#1.md'])
      expect(await read(own, 'draft#1.md')).toBe('output 1\n---\noutput 2')
      expect(await read(own, 'draft#1.last.md')).toBe('output 2')
      expect((await stat(join(own, 'draft#1.md'))).mode & 0o777).toBe(0o600)
    },
  )

  verifies(['d10/structured-output-json-lines'], 'are JSON lines for structured output', async () => {
    const value = { severity: 'high', note: 'a\u2028b\nc' }
    const here = await scene([attachment(structured)], { model: lines(value) })
    await watched(here)
    const text = await read(here.internals, 'narrator', 'draft.jsonl')
    expect(text.split('\n').map(line => (line === '' ? line : JSON.parse(line)))).toEqual([value, value, ''])
    expect(text).not.toContain('\u2028')
    expect(JSON.parse(await read(here.internals, 'narrator', 'draft.last.json'))).toEqual(value)
    expect(here.said('sentinel.output')[0]).toMatchObject({ outputType: 'structured', content: value })
  })

  test('hold a list and a word as they are; on the wire a list is inside an object', async () => {
    const list = await scene([attachment(structured)], { model: lines([1, 2]) })
    await watched(list, 1)
    expect(await read(list.internals, 'narrator', 'draft.jsonl')).toBe('[1,2]\n')
    expect(list.said('sentinel.output')[0]).toMatchObject({ content: { items: [1, 2] } })
    const enumerated = { structuredOutput: { output: 'enum', enumValues: ['good', 'bad'] } }
    const word = await scene([attachment(enumerated)], { model: lines('good') })
    await watched(word, 1)
    expect(await read(word.internals, 'narrator', 'draft.jsonl')).toBe('"good"\n')
    expect(word.said('sentinel.output')[0]).toMatchObject({ outputType: 'structured', content: 'good' })
  })

  test('may be JSON lines for text, too', async () => {
    const here = await scene([attachment({ output: { format: 'jsonl' } })], { model: counting() })
    await watched(here)
    expect(await read(here.internals, 'narrator', 'draft.jsonl')).toBe('"output 1"\n"output 2"\n')
    expect(await read(here.internals, 'narrator', 'draft.last.json')).toBe('"output 2"\n')
  })

  verifies(
    [
      'd10/path-with-slash',
      'd10/path-bare-name',
      'd10/path-settings-first',
      '2.5/log-file-override',
      '2.5/last-value-file-override',
    ],
    'lie where the configuration says, or where the codon says: with / in the workspace, a bare name at home',
    async () => {
      const output = { format: 'text', file: 'notes/log.md', lastValueFile: 'last.md' }
      const own = await scene([attachment({ output, joinString: ' | ' })], { model: counting() })
      await watched(own)
      expect(await read(own.agentRoot, 'notes/log.md')).toBe('output 1 | output 2')
      expect(await read(own.internals, 'narrator/last.md')).toBe('output 2')
      const settings = { outputPaths: { logFile: 'log.md', lastValueFile: './last.md' } }
      const codon = await scene([attachment({ output }, { settings })], { model: counting() })
      await watched(codon)
      expect(await read(codon.internals, 'narrator/log.md')).toContain('output 1')
      expect(await read(codon.agentRoot, 'last.md')).toBe('output 2')
      expect(await readdir(codon.agentRoot)).toEqual(['last.md'])
    },
  )

  test('go on where they were when the codon runs again', async () => {
    const here = await scene([attachment()], { model: counting() })
    await watched(here, 1)
    await watched(here, 1)
    expect(await read(here.internals, 'narrator', 'draft.md')).toBe('output 1\n---\noutput 2')
  })

  verifies(['2.8/sentinel-persistence-off'], 'are not written without persistence', async () => {
    const talking = {
      conversational: { trimmingStrategy: { type: 'maxTurns', maxTurns: 2 } },
      systemPromptText: 'Be brief.',
    }
    const here = await scene([attachment({ ...talking, output: { format: 'text', file: 'a/b.md' } })], {
      model: counting(),
      settings: { enablePersistence: false },
    })
    await watched(here)
    expect(here.said('sentinel.output')).toHaveLength(2)
    await expect(readdir(here.internals)).rejects.toThrow('ENOENT')
    expect(await readdir(here.agentRoot)).toEqual([])
  })

  test('hold no secrets', async () => {
    const redactor = createRedactor([{ name: 'MY_API_KEY', value: 'abcdefghijklmnop' }])
    const here = await scene([attachment()], {
      redactor,
      model: fakeModel(() => says('key abcdefghijklmnop!')),
    })
    await watched(here, 1)
    expect(await read(here.internals, 'narrator', 'draft.md')).toBe('key [redacted:MY_API_KEY]!')
  })
})

describe('an agent that lays traps', () => {
  const output = { format: 'text', file: 'notes/log.md' }

  test('cannot lead a sentinel out of the workspace by a link, at any level', async () => {
    for (const trap of ['notes', 'notes/log.md']) {
      const here = await scene([attachment({ output })], { model: counting() })
      const outside = join(here.agentRoot, '..', 'outside')
      await mkdir(outside)
      await writeFile(join(outside, 'log.md'), 'mine')
      if (trap === 'notes/log.md') await mkdir(join(here.agentRoot, 'notes'))
      await symlink(trap === 'notes' ? outside : join(outside, 'log.md'), join(here.agentRoot, trap))
      await watched(here, 1)
      expect(await read(outside, 'log.md')).toBe('mine')
      expect(here.said('sentinel.error')).toMatchObject([
        { errorType: 'file-write-failed', consecutiveFailureCount: 1 },
      ])
      // What was said is not lost.
      expect(here.said('sentinel.output')).toHaveLength(1)
    }
  })

  test('cannot hold it with something that is no file', async () => {
    const here = await scene([attachment({ output })], { model: counting() })
    await mkdir(join(here.agentRoot, 'notes', 'log.md'), { recursive: true })
    await watched(here, 3)
    expect(here.said('sentinel.error')).toHaveLength(3)
    expect(here.said('sentinel.unloaded')).toMatchObject([{ reason: 'consecutive-failures' }])
  })
})

describe('a conversation', () => {
  const talking = (more = {}, strategy: object = { type: 'maxTurns', maxTurns: 2 }) =>
    attachment({
      systemPromptText: 'Be brief.',
      userPromptText: '<%= it.events[0].data.n %>',
      conversational: { trimmingStrategy: strategy, ...more },
    })
  const asked = ({ model }: Scene) =>
    model.requests
      .filter(({ maxOutputTokens }) => maxOutputTokens !== 16)
      .map(({ messages }) => messages.map(({ content }) => content))

  test('goes on from question to question, trimmed to its turns', async () => {
    const here = await scene([talking()], { model: counting() })
    await watched(here, 4)
    expect(asked(here)).toEqual([
      ['0'],
      ['0', 'output 1', '1'],
      ['0', 'output 1', '1', 'output 2', '2'],
      ['1', 'output 2', '2', 'output 3', '3'],
    ])
    expect(here.model.requests.at(-1)?.system).toBe('Be brief.')
  })

  test('goes on after a restart, for each codon its own', async () => {
    const here = await scene([talking()], { model: counting() })
    await watched(here, 1)
    await watched(here, 1)
    await watched(here, 1, { ...draft, id: 'draft#1' })
    expect(asked(here)).toEqual([['0'], ['0', 'output 1', '0'], ['0']])
    expect(JSON.parse(await read(here.internals, 'narrator', 'draft.conversation.json'))).toEqual({
      turns: [
        { user: '0', assistant: 'output 1' },
        { user: '0', assistant: 'output 2' },
      ],
    })
  })

  verifies(
    ['d10/conversational-continue-on-error'],
    'begins anew after a failure, unless it is told to go on',
    async () => {
      const model = () =>
        fakeModel((_, index) =>
          index === 2 ? { ok: false, retriable: true, message: 'no' } : says(`output ${index}`),
        )
      const anew = await scene([talking()], { model: model() })
      await watched(anew, 3)
      expect(asked(anew)).toEqual([['0'], ['0', 'output 1', '1'], ['2']])
      const on = await scene([talking({ continueOnError: true })], { model: model() })
      await watched(on, 3)
      expect(asked(on)).toEqual([['0'], ['0', 'output 1', '1'], ['0', 'output 1', '2']])
    },
  )

  test('that is damaged on disk unloads the sentinel, or is set aside', async () => {
    const damage = async ({ internals }: Scene) => {
      await mkdir(join(internals, 'narrator'), { recursive: true })
      await writeFile(join(internals, 'narrator', 'draft.conversation.json'), '{"turns":[{"user":1}]}')
    }
    const strict = await scene([talking()], { model: counting() })
    await damage(strict)
    await watched(strict, 1)
    expect(strict.told.map(({ type }) => type)).toEqual(['sentinel.loaded', 'sentinel.unloaded'])
    expect(strict.said('sentinel.unloaded')).toMatchObject([
      { reason: 'fatal-error', errorType: 'corruption' },
    ])

    const lenient = talking()
    const config = {
      ...lenient.config,
      errorHandling: { maxConsecutiveFailures: 3, unloadOnFatalError: false },
    }
    const other = await scene([{ ...lenient, config }], { model: counting() })
    await damage(other)
    await watched(other, 1)
    expect(other.said('sentinel.output')).toHaveLength(1)
    expect(await readdir(join(other.internals, 'narrator'))).toContain('draft.conversation.json.damaged')
  })
})
