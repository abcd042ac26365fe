import { eventTypes, isEventType, type ProblemCode } from '@weave/protocol'
import * as z from 'zod'
import {
  collector,
  didYouMean,
  type JsonPath,
  type JsonSource,
  messageOf,
  nearestNames,
  type Problem,
  shapeProblems,
  valueAt,
} from '../kit/index.ts'
import { outputPathFault } from './references.ts'
import { type SentinelConfig, sentinelConfig } from './sentinel-schema.ts'

export interface CheckedSentinel {
  /** With every default filled in; only when it has no error. */
  readonly config?: SentinelConfig
  readonly problems: readonly Problem<ProblemCode>[]
}

/**
 * Checks one sentinel configuration: a whole file, or the part of a hank at `base`. Shape first, then the rules between
 * fields. Looks at no disk: the files it names are the business of `sentinel-attachments.ts`.
 */
export function checkSentinelConfig(source: JsonSource, base: JsonPath = []): CheckedSentinel {
  const parsed = sentinelConfig.safeParse(valueAt(source.value, base))
  if (!parsed.success) {
    const options = { family: 'sentinel', schema: sentinelConfig, base } as const
    return { problems: shapeProblems(parsed.error, source, options) }
  }
  const config: SentinelConfig = parsed.data
  const problems = collector<ProblemCode>()
  const spotOf = (path: JsonPath) => source.spotOf([...base, ...path])
  const rule: Rule = {
    error: (code, path, message) => problems.error(code, spotOf(path), message),
    warning: (code, path, message) => problems.warning(code, spotOf(path), message),
  }
  checkPrompts(config, rule)
  checkStructuredOutput(config, rule)
  const isGiven = (...path: JsonPath) => valueAt(source.value, [...base, ...path]) !== undefined
  checkOutput(config, isGiven, rule)
  checkTrigger(config, rule)
  const all = problems.all()
  return all.some(({ severity }) => severity === 'error') ? { problems: all } : { config, problems: all }
}

interface Rule {
  error(code: ProblemCode, path: JsonPath, message: string): void
  warning(code: ProblemCode, path: JsonPath, message: string): void
}

function checkPrompts(config: SentinelConfig, { error }: Rule): void {
  if (config.userPromptFile === undefined && config.userPromptText === undefined) {
    error('sentinel/prompt', [], 'a user prompt is missing; write userPromptFile or userPromptText')
  }
  if (config.userPromptFile !== undefined && config.userPromptText !== undefined) {
    error(
      'sentinel/prompt-twice',
      ['userPromptText'],
      'userPromptFile and userPromptText cannot be used together',
    )
  }
  if (config.systemPromptFile !== undefined && config.systemPromptText !== undefined) {
    error(
      'sentinel/prompt-twice',
      ['systemPromptText'],
      'systemPromptFile and systemPromptText cannot be used together',
    )
  }
  const hasSystemPrompt = config.systemPromptFile !== undefined || config.systemPromptText !== undefined
  if (config.conversational && !hasSystemPrompt) {
    error(
      'sentinel/prompt',
      ['conversational'],
      'needs a system prompt; write systemPromptFile or systemPromptText',
    )
  }
}

function checkStructuredOutput({ structuredOutput }: SentinelConfig, rule: Rule): void {
  if (!structuredOutput) return
  const error = (path: JsonPath, message: string) => rule.error('sentinel/structured-output', path, message)
  const { output, enumValues } = structuredOutput
  const at = (key: string): JsonPath => ['structuredOutput', key]
  const [first, ...others] = schemaKeys.filter(key => structuredOutput[key] !== undefined)
  for (const other of others) error(at(other), `${first} and ${other} cannot be used together`)
  if (output !== 'enum') {
    if (first === undefined) {
      error(['structuredOutput'], `output "${output}" needs schema, schemaFile or schemaStr`)
    }
    if (enumValues !== undefined) error(at('enumValues'), 'is allowed only with output "enum"')
    return
  }
  if (enumValues === undefined) error(['structuredOutput'], 'output "enum" needs enumValues')
  else if (new Set(enumValues).size < enumValues.length) error(at('enumValues'), 'holds a value twice')
  if (first !== undefined) error(at(first), 'is not allowed with output "enum"; write enumValues')
}

/** The ways to give a JSON Schema. */
const schemaKeys = ['schema', 'schemaFile', 'schemaStr'] as const

/** `isGiven`: written in the file, not filled in. */
function checkOutput(config: SentinelConfig, isGiven: (...path: JsonPath) => boolean, { error }: Rule): void {
  const { output, structuredOutput } = config
  if (structuredOutput && isGiven('output', 'format')) {
    error(
      'sentinel/output',
      ['output', 'format'],
      'cannot be used with structuredOutput, which is always written as JSON lines; remove it',
    )
  }
  if (isGiven('joinString') && (structuredOutput || output?.format === 'jsonl')) {
    error('sentinel/output', ['joinString'], 'is allowed only with text output')
  }
  for (const key of ['file', 'lastValueFile'] as const) {
    const wrong = output?.[key] === undefined ? undefined : outputPathFault(output[key])
    if (wrong !== undefined) error('sentinel/output-path', ['output', key], wrong)
  }
}

function checkTrigger({ trigger }: SentinelConfig, rule: Rule): void {
  if (trigger.type === 'event') {
    checkEventTypes(trigger.on, ['trigger', 'on'], rule)
    return
  }
  const { on } = trigger.interestFilter
  checkEventTypes(on, ['trigger', 'interestFilter', 'on'], rule)
  trigger.pattern.forEach(({ type }, step) => {
    if (!on.includes(type) && !on.includes(anyEvent) && type !== anyEvent) {
      const path: JsonPath = ['trigger', 'pattern', step, 'type']
      rule.warning(
        'sentinel/trigger',
        path,
        `${type} is not in interestFilter.on, so the pattern never occurs`,
      )
    }
  })
  if (trigger.pattern.length > mostSteps) {
    rule.error(
      'sentinel/trigger',
      ['trigger', 'pattern'],
      `has ${trigger.pattern.length} steps; at most ${mostSteps} are allowed`,
    )
  }
}

const anyEvent = '*'
/** Each step may be tried on each event. */
const mostSteps = 100

function checkEventTypes(types: readonly string[], path: JsonPath, { warning }: Rule): void {
  for (const [at, type] of types.entries()) {
    if (type.startsWith('sentinel.')) {
      const message = `${type} triggers nothing: sentinels do not see the events of sentinels`
      warning('sentinel/event', [...path, at], message)
    } else if (type !== anyEvent && !isEventType(type)) {
      warning('sentinel/event', [...path, at], noSuchEvent(type))
    }
  }
}

const mostSuggested = 4

/** The nearest types; if none is near, those that begin alike: `assistant.action` for `assistant.message`. */
function noSuchEvent(type: string): string {
  const category = `${type.split('.')[0] ?? ''}.`
  const alike = eventTypes.filter(known => known.startsWith(category)).slice(0, mostSuggested)
  if (type.includes(anyEvent)) {
    const list = alike.length > 0 ? `, such as ${alike.join(', ')}` : ''
    return `${type} matches nothing: only ${anyEvent} alone stands for all events. List the types you mean${list}`
  }
  const near = nearestNames(type, eventTypes, 1)
  return `there is no event type ${type}.${didYouMean(near.length > 0 ? near : alike)}`
}

type GivenSchema = Parameters<typeof z.fromJSONSchema>[0]

/** A schema that stands as text in a configuration: JSON and nothing else, it is parsed and never run. */
export function schemaTextFault(text: string): string | undefined {
  try {
    return outputSchemaFault(JSON.parse(text))
  } catch {
    return 'is not JSON. Write a JSON Schema as text; code is never run'
  }
}

/** What is wrong with the schema of a structured output; undefined when outputs can be compared with it. */
export function outputSchemaFault(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return 'a JSON Schema must be an object'
  try {
    z.fromJSONSchema(schema as GivenSchema)
    return undefined
  } catch (error) {
    return `the JSON Schema cannot be used: ${messageOf(error)}`
  }
}
