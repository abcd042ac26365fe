import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  errorsOf,
  excerptAt,
  formatProblem,
  type ObservedCosts,
  type Plan,
  type Prepared,
  type Problem,
  warningsOf,
} from '@weave/runtime'
import { plural } from '../terminal.ts'
import { budgetLines, serverLines, settingLines, structure, structureLines } from './sections.ts'

export interface ReportOptions {
  readonly verbose: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
  /** What executions of this hank took. */
  readonly earlier?: ObservedCosts | undefined
}

/** Plan and verdict in lines for people. */
export function report(prepared: Prepared, options: ReportOptions): readonly string[] {
  return [...planReport(prepared, options), ...verdictReport(prepared)]
}

/** What would run, and what it may cost at most. */
export function planReport(prepared: Prepared, options: ReportOptions): readonly string[] {
  const { plan } = prepared
  if (!plan) return []
  return [
    ...outline(prepared, plan, options.earlier),
    ...(options.verbose ? settingLines(prepared, options.environment) : []),
  ]
}

/** Whether anything stands in its way. */
export function verdictReport(prepared: Prepared): readonly string[] {
  const { loaded } = prepared
  const warnings = warningsOf(prepared.problems)
  const errors = errorsOf(prepared.problems)
  const framed = framer(prepared)
  return [
    ...(warnings.length > 0 ? ['Warnings:', ...warnings.flatMap(framed), ''] : []),
    ...(prepared.ok
      ? verdict(prepared)
      : [
          'Validation failed:',
          ...(loaded.excerpt === undefined ? errors.flatMap(framed) : errors.map(besideExcerpt)),
          ...excerpt(loaded.excerpt),
          ...firstSteps(prepared),
        ]),
  ]
}

/** What a run prints before it begins: the structure of the plan that runs, and what to look out for. */
export function startReport(prepared: Prepared, plan: Plan): readonly string[] {
  const warnings = warningsOf(prepared.problems)
  return [
    ...outline(prepared, plan),
    ...(warnings.length > 0 ? ['! Configuration warnings:', ...warnings.map(bullet), ''] : []),
  ]
}

function outline({ loaded }: Prepared, plan: Plan, earlier?: ObservedCosts): readonly string[] {
  const { meta } = loaded.hank ?? {}
  const title = meta ? `${meta.name} ${meta.version}` : (loaded.source?.file ?? 'hank')
  return [
    title,
    ...(meta?.description ? [meta.description] : []),
    '',
    ...structureLines(structure(plan, loaded.prompts)),
    '',
    ...serverLines(plan),
    ...budgetLines(plan, earlier),
  ]
}

function verdict({ loaded, preflight, data }: Prepared): readonly string[] {
  const { codons, loops } = loaded.counts
  const models = new Set(preflight?.models.map(model => model.identity)).size
  const counts = [
    plural(codons, 'codon'),
    plural(loops, 'loop'),
    plural(models, 'model'),
    ...(loaded.sentinels.length > 0 ? [plural(loaded.sentinels.length, 'sentinel')] : []),
  ]
  return ['Configuration is valid!', `  ${counts.join(', ')}`, ...(data ? [`  data ${data.path}`] : [])]
}

function bullet(problem: Problem): string {
  return `- ${formatProblem(problem).replace(/(^|: )(?:error|warning): /, '$1')}`
}

/** The line itself follows with a caret: once is enough. */
function besideExcerpt(problem: Problem): string {
  return bullet(problem).replace(/, in the line `.*`$/, '')
}

/** A long list is not made longer. */
const mostFrames = 12

/** A problem with the line it is about and a caret under the place, as far as the file can be read. */
function framer({ loaded }: Prepared): (problem: Problem) => readonly string[] {
  const { source } = loaded
  const texts = new Map<string, string | undefined>()
  const textOf = (file: string): string | undefined => {
    if (!texts.has(file))
      texts.set(file, readText(source?.file === file ? source.path : resolve(source?.directory ?? '', file)))
    return texts.get(file)
  }
  let frames = 0
  return problem => {
    // What is said of a file as a whole has no place in it.
    const place = problem.where === '' && problem.place?.line === 1 ? undefined : problem.place
    const text = source && place && frames < mostFrames ? textOf(place.file) : undefined
    const frame = text === undefined ? undefined : excerptAt(text, place)
    if (frame === undefined) return [bullet(problem)]
    frames++
    return [bullet(problem), ...frame.split('\n').map(line => `    ${line}`)]
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** For somebody who has no hank yet, or no key. */
function firstSteps({ loaded, problems }: Prepared): readonly string[] {
  if (errorsOf(problems).some(({ code }) => code === 'key/missing'))
    return [
      '',
      'Without a key: "weave rehearse" runs all but the model. "weave doctor" shows which keys are there.',
      'With a key in a file: "weave --env-file .env" reads it.',
    ]
  if (loaded.source || loaded.excerpt !== undefined) return []
  return ['', 'To begin: "weave init" writes a small hank here, "weave --help" shows what there is.']
}

function excerpt(text: string | undefined): readonly string[] {
  return text === undefined ? [] : ['', ...text.split('\n')]
}
