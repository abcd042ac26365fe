import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { formatProblem } from '../../src/kit/index.ts'
import { additionsOf, createRegistry, findModel } from '../../src/models/index.ts'

describe('additions to the catalogue', () => {
  verifies(['d8a/catalogue-home'], 'come from ~/.weave/models.json', async () => {
    const home = await tempDir()
    await written(join(home, '.weave', 'models.json'), {
      models: [{ provider: 'my-host', id: 'deep/thought-1', contextWindow: 42_000 }],
    })
    const { registry, problems } = await createRegistry({ additions: additionsOf({ home }) })
    expect(problems).toEqual([])
    expect(findModel('my-host/deep/thought-1', registry)).toEqual({
      provider: 'my-host',
      id: 'deep/thought-1',
      name: 'deep/thought-1',
      contextWindow: 42_000,
      harness: 'embedded',
      identity: 'embedded:my-host/deep/thought-1',
    })
    expect(findModel('deep/thought-1', registry)?.provider).toBe('my-host')
    expect(findModel('sonnet', registry)).toBeDefined()
  })

  it('come from the file that the settings name, which wins over the one at home', async () => {
    const home = await tempDir()
    const entry = { provider: 'my-host', id: 'm-1' }
    await written(join(home, '.weave', 'models.json'), {
      models: [{ ...entry, contextWindow: 1, maxOutputTokens: 5, name: 'Home' }],
    })
    const modelsFile = await written(join(home, 'project', 'models.json'), {
      $schema: 'https://example.com/models.schema.json',
      models: [{ ...entry, contextWindow: 2 }],
    })
    const { registry, problems } = await createRegistry({ additions: additionsOf({ home, modelsFile }) })
    expect(problems).toEqual([])
    expect(registry.find('my-host', 'm-1')).toEqual({
      ...entry,
      name: 'Home',
      contextWindow: 2,
      maxOutputTokens: 5,
    })
  })

  it('replace only the fields they give of a model that the catalogue has', async () => {
    const { registry, problems, path } = await withFile({
      models: [{ provider: 'anthropic', id: 'claude-opus-5-5', prices: { input: 1, output: 2 } }],
    })
    expect(problems).toEqual([])
    expect(findModel('opus', registry)).toMatchObject({ name: 'Claude Opus 5.5', contextWindow: 1_000_000 })
    expect(findModel('opus', registry)?.prices).toEqual({
      input: 1,
      output: 2,
      cacheRead: 1,
      cacheWrite: 1,
      source: path,
    })
  })

  it('may say where a price comes from, and what long requests cost', async () => {
    const tier = { input: 3, output: 6, cacheRead: 1, cacheWrite: 4 }
    const { registry } = await withFile({
      models: [
        {
          provider: 'my-host',
          id: 'm-1',
          contextWindow: 9,
          prices: {
            input: 0,
            output: 0,
            tiers: [
              { above: 20, ...tier },
              { above: 10, input: 2, output: 4 },
            ],
            source: 'invoice',
            date: '2026-11-01',
          },
        },
      ],
    })
    expect(findModel('m-1', registry)?.prices).toEqual({
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      tiers: [
        { above: 10, input: 2, output: 4, cacheRead: 2, cacheWrite: 2 },
        { above: 20, ...tier },
      ],
      source: 'invoice',
      date: '2026-11-01',
    })
  })

  it('of a newer model of a family move its alias', async () => {
    const { registry } = await withFile({
      models: [{ provider: 'anthropic', id: 'claude-sonnet-6', contextWindow: 9 }],
    })
    expect(findModel('sonnet', registry)?.identity).toBe('sdk:anthropic/claude-sonnet-6')
  })

  it('do not change whose model a bare id of the catalogue means', async () => {
    const { registry } = await withFile({
      models: [{ provider: 'a-host', id: 'gpt-5', contextWindow: 9 }],
    })
    expect(findModel('gpt-5', registry)?.provider).toBe('openai')
  })

  it('may be missing at home but not where the settings name a file', async () => {
    const home = await tempDir()
    expect((await createRegistry({ additions: additionsOf({ home }) })).problems).toEqual([])
    const modelsFile = join(home, 'none.json')
    const { registry, problems } = await createRegistry({ additions: additionsOf({ home, modelsFile }) })
    expect(problems.map(formatProblem)).toEqual([`${modelsFile}:1:1: error: the model file does not exist`])
    expect(findModel('sonnet', registry)).toBeDefined()
  })

  it('may be a link to where a person keeps such files', async () => {
    const home = await tempDir()
    const kept = await written(join(home, 'dotfiles', 'm.json'), {
      models: [{ provider: 'my-host', id: 'm-1', contextWindow: 9 }],
    })
    await mkdir(join(home, '.weave'))
    await symlink(kept, join(home, '.weave', 'models.json'))
    const { registry } = await createRegistry({ additions: additionsOf({ home }) })
    expect(findModel('m-1', registry)).toBeDefined()
  })

  it('that are no file are reported', async () => {
    const home = await tempDir()
    const { problems } = await createRegistry({ additions: [{ path: home, required: true }] })
    expect(problems.map(formatProblem)).toEqual([
      `${home}:1:1: error: the model file cannot be read: ${home} is not a regular file`,
    ])
  })
})

describe('what is wrong in a model file', () => {
  it.each([
    ['{"models": [', /:1:13: error: .*/],
    ['[]', /:1:1: error: expected an object, found an empty list$/],
    ['{"models": {}}', /:1:12: error: models: expected a list, found an object$/],
    ['{"model": [], "models": []}', /:1:2: error: Unknown field model\. Did you mean models\?.*/],
    [
      entry({ contextwindow: 1 }),
      /error: models\[0\]: Unknown field contextwindow\. Did you mean contextWindow\?/,
    ],
    [
      entry({ contextWindow: '9' }),
      /error: models\[0\]\.contextWindow: expected a whole number above 0, found "9"$/,
    ],
    [
      entry({ contextWindow: 0 }),
      /error: models\[0\]\.contextWindow: expected a whole number above 0, found 0$/,
    ],
    [
      entry({ provider: 'pi' }),
      /error: models\[0\]\.provider: pi\/ before a name chooses the embedded harness/,
    ],
    [entry({ provider: 'A/b' }), /error: models\[0\]\.provider: expected a provider in lower case/],
    [entry({ id: 'a b' }), /error: models\[0\]\.id: expected a model id without blanks$/],
    [entry({ id: '' }), /error: models\[0\]\.id: expected a model id without blanks$/],
    [priced({ input: 1 }), /error: models\[0\]\.prices\.output: is missing; expected a number/],
    [
      priced({ input: -1, output: 1 }),
      /models\[0\]\.prices\.input: expected a number of at least 0, found -1$/,
    ],
    [
      priced({ input: 1, output: 1, date: 'today' }),
      /models\[0\]\.prices\.date: expected a day such as 2026-11-02$/,
    ],
  ])('of %s is said with its place', async (text, message) => {
    const { problems, path, registry } = await withFile(text)
    expect(problems).toHaveLength(1)
    expect(problems[0]?.place?.file).toBe(path)
    expect(problems.map(formatProblem).join()).toMatch(message)
    expect(findModel('sonnet', registry)).toBeDefined()
  })

  it('does not keep the other entries from counting', async () => {
    const { problems, registry } = await withFile(
      JSON.stringify(
        {
          models: [
            { provider: 'my-host', id: 'good-1', contextWindow: 9 },
            { provider: 'my-host', contextWindow: 9 },
            { provider: 'my-host', id: 'good-2', contextWindow: 9 },
            { provider: 'my-host', id: 'good-1', contextWindow: 10 },
          ],
        },
        undefined,
        2,
      ),
    )
    expect(problems.map(({ where, message, place }) => [place?.line, where, message])).toEqual([
      [8, 'models[1].id', 'is missing; expected a string'],
      [17, 'models[3]', 'my-host/good-1 is in this file twice'],
    ])
    expect(findModel('good-1', registry)?.contextWindow).toBe(9)
    expect(findModel('good-2', registry)).toBeDefined()
  })
})

function entry(more: object): string {
  return JSON.stringify({ models: [{ provider: 'my-host', id: 'm-1', ...more }] })
}

function priced(prices: object): string {
  return entry({ contextWindow: 9, prices })
}

async function withFile(content: unknown) {
  const path = await written(join(await tempDir(), 'models.json'), content)
  const result = await createRegistry({ additions: [{ path, required: true }] })
  return { ...result, path }
}

async function written(path: string, content: unknown): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}
