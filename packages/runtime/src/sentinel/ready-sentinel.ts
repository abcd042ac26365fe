import { type AttachedSentinel, maxPromptBytes, readReference } from '../hank/index.ts'
import { formatProblem, isObject, type JsonObject, type Result } from '../kit/index.ts'
import { type StructuredOutput, takesTemperature } from '../llm/index.ts'
import type { ResolvedModel } from '../models/index.ts'
import { assemblePrompt, type PromptFile } from '../prompt/index.ts'
import type { SentinelsOptions } from './options.ts'
import type { Sandbox } from './sandbox.ts'
import { createTemplate, type Template } from './template.ts'

/** A sentinel with everything that it needs for its work, read from disk and found good. */
export interface ReadySentinel {
  readonly attached: AttachedSentinel
  readonly model: ResolvedModel
  readonly key: string
  readonly api: string
  readonly userPrompt: Template
  readonly systemPrompt?: Template | undefined
  readonly output?: StructuredOutput | undefined
}

interface Surroundings extends Pick<SentinelsOptions, 'hankDir' | 'redactor' | 'modelOf' | 'accessTo'> {
  readonly agentRoot: string
  readonly sandbox: Sandbox
}

/** Gets a sentinel ready: its model, its key, its prompts as they are now, its schema. Never rejects. */
export async function makeReady(
  attached: AttachedSentinel,
  around: Surroundings,
): Promise<Result<{ readonly sentinel: ReadySentinel; readonly warnings: readonly string[] }>> {
  const { config } = attached
  const model = around.modelOf(config.model)
  if (!model) return { ok: false, message: `its model ${config.model} is not known` }
  const access = around.accessTo(model, config.id)
  if (!access.ok) return access
  const user = await promptOf(attached, 'user', around)
  if (!user.ok) return user
  const system = await promptOf(attached, 'system', around)
  if (!system.ok) return system
  const output = await outputOf(attached, around)
  if (!output.ok) return output
  if (!user.template) return { ok: false, message: 'it has no user prompt' }
  const { key, api } = access
  const prompts = { userPrompt: user.template, systemPrompt: system.template }
  const sentinel = { attached, model, key, api, ...prompts, output: output.output }
  const warnings = [...user.warnings, ...system.warnings, ...(await droppedTemperature(config, model))]
  return { ok: true, sentinel, warnings }
}

/** 0 is what everybody gets who says nothing. */
async function droppedTemperature(
  { llmParams: { temperature } }: AttachedSentinel['config'],
  { provider, id, dialect }: ResolvedModel,
): Promise<readonly string[]> {
  if (temperature === 0 || (await takesTemperature({ provider, modelId: id, dialect }))) return []
  return [
    `llmParams.temperature ${temperature} is not sent: ${provider}/${id} takes none. Remove it, or use another model.`,
  ]
}

async function promptOf(
  attached: AttachedSentinel,
  kind: 'user' | 'system',
  around: Surroundings,
): Promise<Result<{ readonly template?: Template; readonly warnings: readonly string[] }>> {
  const { config } = attached
  const paths = config[`${kind}PromptFile`]
  const text = config[`${kind}PromptText`]
  if (paths === undefined && text === undefined) return { ok: true, warnings: [] }
  const files: PromptFile[] = []
  for (const path of [paths ?? []].flat()) {
    const read = await readNamed(attached, path, around)
    if (!read.ok) return read
    files.push({ file: path, text: read.text })
  }
  const { prompt, problems } = await assemblePrompt({
    agentRoot: around.agentRoot,
    prompt: { files, text },
  })
  const created = await createTemplate(prompt, around)
  if (!created.ok) return { ok: false, message: `its ${kind} prompt cannot be used: ${created.message}` }
  return { ok: true, template: created.template, warnings: problems.map(formatProblem) }
}

async function readNamed(
  { config, base }: AttachedSentinel,
  path: string,
  { hankDir }: Surroundings,
): Promise<Result<{ readonly text: string }>> {
  const reference = { path, base, label: `Sentinel ${config.id}` }
  const read = await readReference(hankDir, reference, { maxBytes: maxPromptBytes })
  return read.ok ? { ok: true, text: read.bytes.toString('utf8') } : read
}

async function outputOf(
  attached: AttachedSentinel,
  around: Surroundings,
): Promise<Result<{ readonly output?: StructuredOutput }>> {
  const wanted = attached.config.structuredOutput
  if (!wanted) return { ok: true }
  const hint = { name: wanted.schemaName, description: wanted.schemaDescription }
  if (wanted.output === 'enum')
    return { ok: true, output: { ...hint, kind: 'enum', values: wanted.enumValues ?? [] } }
  const read =
    wanted.schemaFile === undefined ? undefined : await readNamed(attached, wanted.schemaFile, around)
  if (read?.ok === false) return read
  const written = read?.text ?? wanted.schemaStr
  const schema = written === undefined ? wanted.schema : parsedSchema(written)
  if (!schema) return { ok: false, message: 'its schema is not a JSON object' }
  const job = { kind: 'validate', schema: JSON.stringify(schema), each: wanted.output === 'array' } as const
  const usable = await around.sandbox.run(job)
  if (!usable.ok) return { ok: false, message: `its schema cannot be used: ${usable.message}` }
  const check = (value: unknown) => around.sandbox.run({ ...job, value: JSON.stringify(value) })
  return { ok: true, output: { ...hint, kind: wanted.output, schema, check } }
}

function parsedSchema(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
