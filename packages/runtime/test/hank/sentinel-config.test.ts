import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { checkSentinelConfig } from '../../src/hank/sentinel-config.ts'
import type { SentinelConfig } from '../../src/hank/sentinel-schema.ts'
import { parseJsonSource } from '../../src/kit/index.ts'
import { type Json, printed, sentinel, told } from './fixture.ts'

function checked(config: unknown) {
  const document = parseJsonSource(JSON.stringify(config, null, 2), { file: 's.json' })
  if (!document.ok) throw new Error('not JSON')
  return checkSentinelConfig(document)
}

function accepts(...configs: readonly Json[]): void {
  for (const config of configs) expect({ config, told: told(checked(config)) }).toEqual({ config, told: [] })
}

function refuses(...cases: readonly (readonly [Json, ...(readonly string[])])[]): void {
  for (const [config, ...messages] of cases) {
    const result = checked(config)
    expect(told(result)).toEqual(messages)
    expect(result.config).toBeUndefined()
  }
}

function withDefaults(more: Json = {}): SentinelConfig {
  const { config } = checked(sentinel(more))
  if (!config) throw new Error('refused')
  return config
}

const without = (key: string) =>
  Object.fromEntries(Object.entries(sentinel()).filter(([name]) => name !== key))
const keys =
  '$schema, id, name, description, model, trigger, execution, systemPromptFile, systemPromptText, userPromptFile, userPromptText, conversational, structuredOutput, output, joinString, llmParams, errorHandling, reportToWebsocket'
const missing = 'is missing; expected a non-empty string'

describe('a sentinel configuration', () => {
  verifies(['d10/strict'], 'has no other keys, at any depth', () => {
    refuses(
      [sentinel({ zzz: 1 }), `: Unknown field zzz. Valid fields here: ${keys}`],
      [
        sentinel({ llmParams: { maxTokens: 1 } }),
        'llmParams: Unknown field maxTokens. Valid fields here: temperature, maxOutputTokens, maxRetries',
      ],
      [
        sentinel({ execution: { strategy: 'immediate', milliseconds: 1 } }),
        'execution: Unknown field milliseconds. Valid fields here: strategy',
      ],
      [
        sentinel({ trigger: { type: 'event', on: ['*'], pattern: [] } }),
        'trigger: Unknown field pattern. Valid fields here: type, on, conditions',
      ],
    )
  })

  verifies(
    ['d10/id-pattern', 'd10/name', 'd10/description'],
    'has an id, a name, maybe a description',
    () => {
      const letters = 'id: must consist of 1 to 100 lower-case letters, digits and -'
      accepts(sentinel({ id: 'a-9' }), sentinel({ description: 'x' }))
      refuses(
        [without('id'), 'id: is missing; expected a string'],
        [sentinel({ id: '' }), letters],
        [sentinel({ id: 'Narrator' }), letters],
        [sentinel({ id: '../x' }), letters],
        [sentinel({ id: 'a'.repeat(101) }), letters],
        [sentinel({ id: 'a\n' }), letters],
        [without('name'), `name: ${missing}`],
        [sentinel({ description: 1 }), 'description: expected a string, found 1'],
        [without('model'), `model: ${missing}`],
      )
    },
  )

  verifies(['d10/trigger-required'], 'has a trigger', () => {
    refuses(
      [without('trigger'), 'trigger: is missing; expected an object'],
      [
        sentinel({ trigger: { type: 'timer' } }),
        'trigger.type: expected one of "event", "sequence", found "timer"',
      ],
      [
        sentinel({ trigger: { type: 'event', on: [] } }),
        'trigger.on: expected a non-empty list of strings, found an empty list',
      ],
      [
        sentinel({ trigger: { type: 'sequence', pattern: [] } }),
        'trigger.interestFilter: is missing; expected an object',
        'trigger.pattern: expected a non-empty list of objects, found an empty list',
      ],
    )
    const conditions = [{ operator: 'equals', path: 'action', value: 'thinking' }]
    const step = { type: 'tool.result', conditions }
    accepts(
      sentinel({ trigger: { type: 'event', on: ['*'], conditions } }),
      sentinel({ trigger: { type: 'sequence', interestFilter: { on: ['tool.result'] }, pattern: [step] } }),
    )
  })

  verifies(['d10/trigger-sequence-consecutive'], 'allows other events within a sequence unless told', () => {
    const sequence = { type: 'sequence', interestFilter: { on: ['*'] }, pattern: [{ type: 'tool.result' }] }
    expect(withDefaults({ trigger: sequence }).trigger).toEqual({
      ...sequence,
      options: { consecutive: false },
    })
    const options = { consecutive: true }
    expect(withDefaults({ trigger: { ...sequence, options } }).trigger).toEqual({ ...sequence, options })
  })

  verifies(
    ['d10/execution-required', 'd10/execution-debounce', 'd10/execution-count', 'd10/execution-time-window'],
    'says when it runs, within limits',
    () => {
      refuses(
        [without('execution'), 'execution: is missing; expected an object'],
        [
          sentinel({ execution: { strategy: 'sometimes' } }),
          'execution.strategy: expected one of "immediate", "debounce", "count", "timeWindow", found "sometimes"',
        ],
      )
      for (const [strategy, field, most] of [
        ['debounce', 'milliseconds', 300_000],
        ['count', 'threshold', 1_000],
        ['timeWindow', 'milliseconds', 3_600_000],
      ] as const) {
        const at = (value: number) => sentinel({ execution: { strategy, [field]: value } })
        const expected = `execution.${field}: expected a whole number from 1 to ${most}`
        accepts(at(1), at(most))
        refuses(
          [at(0), `${expected}, found 0`],
          [at(most + 1), `${expected}, found ${most + 1}`],
          [at(1.5), `${expected}, found 1.5`],
          [
            sentinel({ execution: { strategy } }),
            `execution.${field}: is missing; expected a whole number from 1 to ${most}`,
          ],
        )
      }
    },
  )

  verifies(
    ['d10/user-prompt-required', 'd10/user-prompt-exclusive', 'd10/system-prompt-exclusive'],
    'has one user prompt and at most one system prompt',
    () => {
      accepts(sentinel({ systemPromptText: 'x' }), sentinel({ systemPromptFile: 'x' }))
      accepts({ ...without('userPromptText'), userPromptFile: 'x' })
      refuses(
        [without('userPromptText'), ': a user prompt is missing; write userPromptFile or userPromptText'],
        [
          sentinel({ userPromptFile: 'x' }),
          'userPromptText: userPromptFile and userPromptText cannot be used together',
        ],
        [
          sentinel({ systemPromptFile: 'x', systemPromptText: 'y' }),
          'systemPromptText: systemPromptFile and systemPromptText cannot be used together',
        ],
      )
    },
  )

  verifies(
    [
      'd10/conversational-system-prompt',
      'd10/conversational-max-turns',
      'd10/conversational-max-tokens',
      'd10/conversational-continue-on-error',
    ],
    'may hold a conversation, with a system prompt and a limit',
    () => {
      const trimmed = (trimmingStrategy: Json, more: Json = {}) =>
        sentinel({ systemPromptText: 'x', conversational: { trimmingStrategy, ...more } })
      const { systemPromptText: _, ...alone } = trimmed({ type: 'maxTurns', maxTurns: 1 })
      refuses([alone, 'conversational: needs a system prompt; write systemPromptFile or systemPromptText'])
      accepts(trimmed({ type: 'maxTurns', maxTurns: 1 }, { continueOnError: true }))
      for (const [type, most] of [
        ['maxTurns', 100],
        ['maxTokens', 100_000],
      ] as const) {
        const at = (value: number) => trimmed({ type, [type]: value })
        const expected = `conversational.trimmingStrategy.${type}: expected a whole number from 1 to ${most}`
        accepts(at(1), at(most))
        refuses([at(0), `${expected}, found 0`], [at(most + 1), `${expected}, found ${most + 1}`])
      }
    },
  )
})

describe('what a sentinel puts out', () => {
  const structured = (structuredOutput: Json) => sentinel({ structuredOutput })

  verifies(['d10/structured-output-kinds', 'd10/structured-output-keys'], 'may have a structure', () => {
    const names = { schemaName: 'n', schemaDescription: 'd' }
    accepts(
      structured({ output: 'object', schema: { type: 'object' }, ...names }),
      structured({ output: 'array', schemaFile: 'x.json' }),
      structured({ output: 'array', schemaStr: '{}' }),
      structured({ output: 'enum', enumValues: ['a', 'b'] }),
    )
    const at = 'structuredOutput'
    refuses(
      [
        structured({ output: 'text' }),
        `${at}.output: expected one of "object", "array", "enum", found "text"`,
      ],
      [structured({ output: 'object' }), `${at}: output "object" needs schema, schemaFile or schemaStr`],
      [structured({ output: 'array' }), `${at}: output "array" needs schema, schemaFile or schemaStr`],
      [
        structured({ output: 'object', schema: {}, schemaFile: 'x' }),
        `${at}.schemaFile: schema and schemaFile cannot be used together`,
      ],
      [
        structured({ output: 'object', schemaFile: 'x', schemaStr: '{}' }),
        `${at}.schemaStr: schemaFile and schemaStr cannot be used together`,
      ],
      [
        structured({ output: 'object', schema: {}, enumValues: ['a'] }),
        `${at}.enumValues: is allowed only with output "enum"`,
      ],
      [structured({ output: 'enum' }), `${at}: output "enum" needs enumValues`],
      [structured({ output: 'enum', enumValues: ['a', 'a'] }), `${at}.enumValues: holds a value twice`],
      [
        structured({ output: 'enum', enumValues: ['a'], schema: {} }),
        `${at}.schema: is not allowed with output "enum"; write enumValues`,
      ],
      [
        structured({ output: 'enum', enumValues: ['a'], schemaFile: 'x' }),
        `${at}.schemaFile: is not allowed with output "enum"; write enumValues`,
      ],
      [structured({ output: 'object', schema: [] }), `${at}.schema: expected an object, found an empty list`],
    )
  })

  verifies(
    [
      'd10/output-format',
      'd10/output-files',
      'd10/output-not-with-structured',
      'd14/sentinel-output-beside-structured',
      'd14/sentinel-output-format-default',
    ],
    'may be text or lines in files',
    () => {
      accepts(
        sentinel({ output: { format: 'text', file: 'a.md', lastValueFile: 'notes/b.md' } }),
        sentinel({ output: { format: 'jsonl' } }),
        sentinel({ output: { file: 'a.md' } }),
        sentinel({
          output: { file: 'a.jsonl', lastValueFile: 'notes/b.json' },
          structuredOutput: { output: 'enum', enumValues: ['a'] },
        }),
      )
      expect(withDefaults({ output: { file: 'a.md' } }).output?.format).toBe('text')
      refuses(
        [
          sentinel({ output: { format: 'xml' } }),
          'output.format: expected one of "text", "jsonl", found "xml"',
        ],
        [
          sentinel({ output: { format: 'jsonl' }, structuredOutput: { output: 'enum', enumValues: ['a'] } }),
          'output.format: cannot be used with structuredOutput, which is always written as JSON lines; remove it',
        ],
      )
    },
  )

  verifies(['d10/join-string-text-only', 'd10/join-string-default'], 'is joined when it is text', () => {
    const only = 'joinString: is allowed only with text output'
    accepts(sentinel({ joinString: '' }), sentinel({ joinString: '\n', output: { format: 'text' } }))
    refuses(
      [sentinel({ joinString: '\n', output: { format: 'jsonl' } }), only],
      [sentinel({ joinString: '\n', structuredOutput: { output: 'enum', enumValues: ['a'] } }), only],
    )
    expect(withDefaults().joinString).toBe('\n---\n')
  })

  const wrongPaths: readonly (readonly [string, string])[] = [
    ['../x.md', '../x.md leaves the agent workspace'],
    ['a/../../x.md', 'a/../../x.md leaves the agent workspace'],
    ['..', '.. leaves the directory of the sentinel'],
    ['.', '. names a directory, not a file'],
    ['notes/', 'notes/ names a directory, not a file'],
    ['a/..', 'a/.. names a directory, not a file'],
    ['/tmp/x', '/tmp/x is an absolute or drive-qualified path; it must be relative to the agent workspace'],
    [
      'C:x',
      'C:x is an absolute or drive-qualified path; it must be relative to the directory of the sentinel',
    ],
    ['a\\b', 'a\\b contains a backslash; / is the only path separator'],
    ['a\0', 'a\0 contains an invalid character (NUL)'],
    ['x'.repeat(5000), 'is longer than 4096 characters'],
  ]
  test.each(wrongPaths)('does not go to %j', (path, message) => {
    refuses([sentinel({ output: { format: 'text', file: path } }), `output.file: ${message}`])
    refuses([
      sentinel({ output: { format: 'text', lastValueFile: path } }),
      `output.lastValueFile: ${message}`,
    ])
  })
})

describe('the numbers of a sentinel', () => {
  verifies(
    [
      'd10/llm-temperature',
      'd10/llm-max-output-tokens',
      'd10/llm-max-retries',
      'd10/max-consecutive-failures',
      'd10/unload-on-fatal-error',
      'd10/report-defaults-on',
      'd10/report-triggers-default',
    ],
    'have limits and defaults',
    () => {
      for (const [object, field, least, most, kind] of [
        ['llmParams', 'temperature', 0, 2, 'a number'],
        ['llmParams', 'maxOutputTokens', 1, 100_000, 'a whole number'],
        ['llmParams', 'maxRetries', 0, 5, 'a whole number'],
      ] as const) {
        const at = (value: number) => sentinel({ [object]: { [field]: value } })
        const expected = `${object}.${field}: expected ${kind} from ${least} to ${most}`
        accepts(at(least), at(most))
        refuses(
          [at(least - 1), `${expected}, found ${least - 1}`],
          [at(most + 1), `${expected}, found ${most + 1}`],
        )
      }
      accepts(sentinel({ errorHandling: { maxConsecutiveFailures: 1 } }))
      refuses([
        sentinel({ errorHandling: { maxConsecutiveFailures: 0 } }),
        'errorHandling.maxConsecutiveFailures: expected a whole number of at least 1, found 0',
      ])
      const expected = {
        llmParams: { temperature: 0, maxOutputTokens: 8192, maxRetries: 2 },
        errorHandling: { maxConsecutiveFailures: 3, unloadOnFatalError: true },
        reportToWebsocket: { lifecycle: true, errors: true, outputs: true, triggers: false },
      }
      expect(withDefaults()).toMatchObject(expected)
      expect(withDefaults({ llmParams: {}, errorHandling: {}, reportToWebsocket: {} })).toMatchObject(
        expected,
      )
      expect(withDefaults({ llmParams: { temperature: 1 } }).llmParams).toEqual({
        ...expected.llmParams,
        temperature: 1,
      })
    },
  )
})

describe('conditions', () => {
  const conditioned = (condition: Json) =>
    sentinel({ trigger: { type: 'event', on: ['tool.result'], conditions: [condition] } })
  const at = 'trigger.conditions[0]'

  verifies(['d10/condition-operators'], 'know eight operators, each with values it can work with', () => {
    for (const operator of ['equals', 'notEquals', 'contains']) {
      for (const value of ['x', 1, true, null, [1], { a: 1 }])
        accepts(conditioned({ operator, path: 'a.b', value }))
    }
    for (const operator of ['in', 'notIn']) {
      accepts(conditioned({ operator, path: 'a', value: ['x', 1] }))
      refuses([
        conditioned({ operator, path: 'a', value: 'x' }),
        `${at}.value: expected a non-empty list, found "x"`,
      ])
    }
    for (const operator of ['greaterThan', 'lessThan']) {
      accepts(conditioned({ operator, path: 'a', value: 1.5 }))
      refuses([conditioned({ operator, path: 'a', value: '1' }), `${at}.value: expected a number, found "1"`])
    }
    accepts(conditioned({ operator: 'matches', path: 'a', value: '^ok$' }))
    refuses(
      [
        conditioned({ operator: 'like', path: 'a', value: 1 }),
        `${at}.operator: expected one of "equals", "notEquals", "in", "notIn", "contains", "matches", "greaterThan", "lessThan", found "like"`,
      ],
      [
        conditioned({ operator: 'equals', path: '', value: 1 }),
        `${at}.path: expected a non-empty string, found an empty string`,
      ],
      [conditioned({ operator: 'equals', path: 'a' }), expect.stringContaining(`${at}.value: is missing`)],
      [
        conditioned({ operator: 'equals', path: 'a', value: 1, zzz: 1 }),
        `${at}: Unknown field zzz. Valid fields here: operator, path, value`,
      ],
    )
  })
})

test('a sequence has at most a hundred steps', () => {
  const of = (steps: number) =>
    sentinel({
      trigger: {
        type: 'sequence',
        interestFilter: { on: ['*'] },
        pattern: Array.from({ length: steps }, () => ({ type: 'info' })),
      },
    })
  accepts(of(100))
  refuses([of(101), 'trigger.pattern: has 101 steps; at most 100 are allowed'])
})

test('an event that cannot come is a warning', () => {
  const on = ['tool.reslt', 'sentinel.output', 'no-such-thing', '*']
  const pattern = [{ type: 'info' }]
  const result = checked(sentinel({ trigger: { type: 'event', on } }))
  expect(result.config).toBeDefined()
  expect(printed(result)).toEqual([
    's.json:8:7: warning: trigger.on[0]: there is no event type tool.reslt. Did you mean tool.result?',
    's.json:9:7: warning: trigger.on[1]: sentinel.output triggers nothing: sentinels do not see the events of sentinels',
    's.json:10:7: warning: trigger.on[2]: there is no event type no-such-thing.',
  ])
  const events = ['assistant.message', 'codon.*', '*.completed', 'rollback.starts']
  expect(told(checked(sentinel({ trigger: { type: 'event', on: events } })))).toEqual([
    'trigger.on[0]: there is no event type assistant.message. Did you mean assistant.action?',
    'trigger.on[1]: codon.* matches nothing: only * alone stands for all events. List the types you mean, such as codon.started, codon.completed, codon.extended, codon.retrying',
    'trigger.on[2]: *.completed matches nothing: only * alone stands for all events. List the types you mean',
    'trigger.on[3]: there is no event type rollback.starts. Did you mean rollback.started?',
  ])
  const sequence = checked(
    sentinel({ trigger: { type: 'sequence', interestFilter: { on: ['tool.result'] }, pattern } }),
  )
  expect(told(sequence)).toEqual([
    'trigger.pattern[0].type: info is not in interestFilter.on, so the pattern never occurs',
  ])
})
