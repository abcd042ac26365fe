import { opendirSync } from 'node:fs'
import type { ProblemCode } from '@weave/protocol'
import { errorCode } from '../../kit/index.ts'
import { at, codonsOf, effectiveModel, type PlacedCodon, type Subject } from '../codons.ts'
import { misspeltVariables } from '../prompt-content.ts'
import { outputPathFault } from '../references.ts'
import type { HankFile } from '../schema.ts'
import { type CheckContext, quoted, type Report, shown } from './check.ts'

/** The directory that receives the output files is better empty; one that is not there yet is fine. */
export function checkOutputs(_hank: HankFile, { warning }: Report, { outputDirectory }: CheckContext): void {
  if (outputDirectory === undefined) return
  const complaint = complaints[contentOf(outputDirectory)]
  if (!complaint) return
  const [code, words] = complaint
  warning(code, '', `The output directory ${shown(outputDirectory)} is not ${words}`)
}

type Content = 'some' | 'none' | 'not-a-directory' | 'unknown'

const complaints: Readonly<Partial<Record<Content, readonly [ProblemCode, string]>>> = {
  some: [
    'output/not-empty',
    'empty. A file whose name is taken there is renamed; use --overwrite-output to replace it, or choose another directory.',
  ],
  'not-a-directory': [
    'output/not-directory',
    'a directory, so no output file can be copied there. Choose another one.',
  ],
}

/** Reads one entry at most: the directory may hold very many. */
function contentOf(path: string): Content {
  try {
    const directory = opendirSync(path, { bufferSize: 1 })
    try {
      return directory.readSync() === null ? 'none' : 'some'
    } finally {
      directory.closeSync()
    }
  } catch (error) {
    return errorCode(error) === 'ENOTDIR' ? 'not-a-directory' : 'unknown'
  }
}

/** Where the attachments of a hank let their sentinels write; the same rule as for the configuration itself. */
export function checkOutputPaths(hank: HankFile, { error }: Report): void {
  for (const placed of codonsOf(hank)) {
    for (const [index, { settings }] of (placed.codon.sentinels ?? []).entries()) {
      for (const [field, path] of Object.entries(settings?.outputPaths ?? {})) {
        const fault = path === undefined ? undefined : outputPathFault(path)
        const about = at(placed, `sentinels[${index}].settings.outputPaths.${field}`)
        if (fault !== undefined) error('sentinel/output-path', about, `${field} ${fault}`)
      }
    }
  }
}

/** The version is for the author alone; one that is no semantic version still loads. */
export function checkMeta({ meta }: HankFile, { warning }: Report): void {
  if (meta === undefined || isSemanticVersion(meta.version)) return
  warning(
    'hank/version',
    'meta.version',
    `meta.version ${quoted(meta.version)} is not a semantic version. Write three numbers, such as "1.0.0".`,
  )
}

/** Longer ones are refused by common tools as well, and the pattern need not look at them. */
const longestVersion = 256

/** The pattern that semver.org suggests. */
const pattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/

function isSemanticVersion(version: string): boolean {
  return version.length <= longestVersion && pattern.test(version)
}

/** Every codon has a model from somewhere. Whether the model exists is not asked here. */
export function checkModels(hank: HankFile, { error }: Report, { modelOverride }: CheckContext): void {
  for (const placed of codonsOf(hank)) {
    if (effectiveModel(placed.codon, hank, modelOverride) !== undefined) continue
    error('model/missing', placed, noModel)
  }
}

const noModel = 'has no model. Give the codon a model, or the whole hank one in overrides.model.'

/** `retryConfig` belongs to `onFailure: retry` and to nothing else; its ranges are part of the shape. */
export function checkRetry(hank: HankFile, { error }: Report): void {
  for (const placed of codonsOf(hank)) {
    const { onFailure, retryConfig } = placed.codon
    if (retryConfig === undefined || onFailure === 'retry') continue
    const now = onFailure === undefined ? 'the default, "abort"' : `"${onFailure}"`
    error(
      'hank/retry',
      at(placed, 'retryConfig'),
      `retryConfig needs onFailure "retry", but onFailure is ${now}. Set onFailure to "retry" or remove retryConfig.`,
    )
  }
}

/**
 * Every name in `requirements.env` is in the environment, as it is or with the prefix. Being there is enough, an
 * empty value counts. `WEAVE_<NAME>=unset` takes the variable away, so it satisfies nothing and undoes a plain one.
 */
export function checkRequirements(hank: HankFile, { error }: Report, { environment }: CheckContext): void {
  const asked = new Set<string>()
  for (const [index, name] of (hank.requirements?.env ?? []).entries()) {
    const complaint = asked.has(name) ? undefined : complaintAbout(name, environment)
    asked.add(name)
    if (complaint !== undefined) error('env/missing', `requirements.env[${index}]`, complaint)
  }
}

type Environment = CheckContext['environment']

function complaintAbout(name: string, environment: Environment): string | undefined {
  const prefixed = lookUp(environment, `WEAVE_${name}`)
  const label = shown(name)
  if (prefixed === 'unset') {
    return `The environment variable ${label} is required, but WEAVE_${label} is "unset", which removes it. Give it a value.`
  }
  if (prefixed !== undefined || lookUp(environment, name) !== undefined) return undefined
  return `The environment variable ${label} is required but not set. Set ${label} or WEAVE_${label}.`
}

/** Own variables only: a plain object also has a `constructor`. */
function lookUp(environment: Environment, name: string): string | undefined {
  return Object.hasOwn(environment, name) ? environment[name] : undefined
}

/**
 * Where prompts come from: exactly one source where two would quarrel; and what is odd about those that are in the hank
 * itself. Files are looked at together with all other references.
 */
export function checkPrompts(hank: HankFile, report: Report): void {
  const { globalSystemPromptFile: file, globalSystemPromptText: text } = hank
  const place = 'globalSystemPromptText'
  reportText(text, { about: place, field: place }, report)
  if (file !== undefined && text !== undefined) {
    const message = `globalSystemPromptFile and ${place} cannot be used together. Keep one of them.`
    report.error('hank/prompt-twice', place, message)
  }
  for (const placed of codonsOf(hank)) reportCodonPrompts(placed, report)
}

function reportCodonPrompts(placed: PlacedCodon, report: Report): void {
  const { codon } = placed
  if (codon.promptFile === undefined && (codon.promptText ?? '').trim() === '') {
    const what =
      codon.promptText === undefined ? 'has no prompt' : 'has an empty promptText and no promptFile'
    report.error('hank/prompt', placed, `${what}. Add promptFile or promptText.`)
  }
  if (codon.appendSystemPromptFile !== undefined && codon.appendSystemPromptText !== undefined) {
    report.error(
      'hank/prompt-twice',
      at(placed, 'appendSystemPromptText'),
      'appendSystemPromptFile and appendSystemPromptText cannot be used together. Keep one of them.',
    )
  }
  for (const field of ['promptText', 'appendSystemPromptText', 'exhaustWithPrompt'] as const)
    reportText(codon[field], { about: at(placed, field), field }, report)
}

interface TextPlace {
  readonly about: Subject | string
  readonly field: string
}

function reportText(text: string | undefined, { about, field }: TextPlace, { warning }: Report): void {
  for (const complaint of misspeltVariables(text ?? ''))
    warning('hank/prompt-variable', about, `${field} ${complaint}`)
}
