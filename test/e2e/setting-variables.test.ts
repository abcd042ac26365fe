import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder } from '../support/hank-folder.ts'
import { runCli } from '../support/weave-command.ts'

/** The part of the published schema of `weave.json` that says which keys there are. */
interface Schema {
  readonly type?: string
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
}

interface Verdict {
  readonly settings: Readonly<Record<string, { readonly value: unknown; readonly origin: string }>>
  readonly problems: readonly { readonly where: string; readonly message: string }[]
}

/** All keys by their paths: `sentinel.enablePersistence`. */
function keysOf(schema: Schema, path = ''): readonly (readonly [path: string, schema: Schema])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    // Neither a list nor a table of rows fits into a variable; what is for the fleet's commands has variables of its own.
    const isTable = inner.type === 'object' && !inner.properties
    if (key === '$schema' || (path === '' && key === 'fleet') || inner.items?.type === 'object' || isTable)
      return []
    return inner.properties ? keysOf(inner, `${path}${key}.`) : [[path + key, inner] as const]
  })
}

/** A value that is allowed and is not the default, with the text that a variable would have for it. */
function valueFor(path: string, schema: Schema): unknown {
  if (schema.type === 'boolean') return schema.default !== true
  if (schema.enum) return schema.enum.at(-1)
  if (schema.type === 'array') return ['7']
  if (schema.type !== 'string') return 7
  if (path === 'model') return 'haiku'
  return /Url$|endpoint$/.test(path) ? 'https://example.org/there' : 'some-path'
}

const variableFor = (path: string): string =>
  `WEAVE_RUNTIME_${path
    .split(/[.]|(?=[A-Z])/)
    .join('_')
    .toUpperCase()}`

const place = () => hankFolder([codon('a')])

const words = ['--validate', '--skip-self-test']

describe('WEAVE_RUNTIME variables', () => {
  const schema = JSON.parse(runCli(['schema', 'weave']).stdout) as Schema
  const keys = keysOf(schema)

  verifies(
    ['2.9/name-mapping', 'd14/setting-variables'],
    'give every key of the schema of weave.json its value',
    async () => {
      const at = await place()
      const given = keys.map(([path, inner]) => [path, valueFor(path, inner)] as const)
      const variables = given.map(([path, value]) => [variableFor(path), String(value)])
      const { stdout } = at.with(Object.fromEntries(variables)).weave(...words, '--json')
      const { settings, problems } = JSON.parse(stdout) as Verdict
      expect(keys.length).toBeGreaterThan(20)
      expect(settings).toEqual(
        Object.fromEntries(given.map(([path, value]) => [path, { value, origin: variableFor(path) }])),
      )
      expect(problems.filter(({ message }) => message.includes('has no effect'))).toEqual([])
      expect(Object.keys(settings)).toContain('budget.maxDollars')
      expect(variables.map(([name]) => name)).toContain('WEAVE_RUNTIME_SHIM_IDLE_TIMEOUT')
    },
  )

  verifies(['d14/setting-variables'], 'of no key are named, with the one that was meant', async () => {
    const at = await place()
    const rights = keys.map(([path]) => variableFor(path))
    const variables = Object.fromEntries(rights.map(right => [`${right}S`, '1']))
    const { stdout } = at.with(variables).weave(...words, '--json')
    const { problems } = JSON.parse(stdout) as Verdict
    for (const right of rights)
      expect(problems.filter(({ where }) => where === `${right}S`)).toEqual([
        expect.objectContaining({
          severity: 'warning',
          message: `Unknown variable ${right}S; it has no effect. Did you mean ${right}?`,
        }),
      ])
  })
})

verifies(
  ['d14/log-parsing-interval', '2.8/log-parsing-interval-default'],
  'logParsingInterval is 1000 by default, accepted, and said to be read by nothing',
  async () => {
    const at = await place()
    const line = (): string | undefined =>
      at
        .weave(...words, '--verbose')
        .stdout.split('\n')
        .find(text => text.includes('logParsingInterval'))
    expect(line()).toMatch(/^ +logParsingInterval +1000 +default +nothing reads it$/)
    at.write({ 'weave.json': { logParsingInterval: 20 } })
    expect(line()).toMatch(/^ +logParsingInterval +20 +weave\.json +nothing reads it$/)
    at.write({ 'weave.json': { logParsingInterval: 'often' } })
    expect(at.weave(...words)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('logParsingInterval: '),
    })
  },
)
