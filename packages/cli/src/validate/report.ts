import {
  addSchemaLine,
  errorsOf,
  formatProblem,
  type ObservedCosts,
  type Plan,
  type Prepared,
  type Problem,
  warningsOf,
} from '@weave/runtime'
import { version } from '../program.ts'
import { plural } from '../terminal.ts'
import { budgetLines, settingLines, structure, structureLines } from './sections.ts'

export interface ReportOptions {
  readonly verbose: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
  /** What executions of this hank took. */
  readonly earlier?: ObservedCosts | undefined
}

/** The verdict in lines for people. */
export function report(prepared: Prepared, options: ReportOptions): readonly string[] {
  const { loaded, plan } = prepared
  const lines = plan
    ? [
        ...outline(prepared, plan, options.earlier),
        ...(options.verbose ? settingLines(prepared, options.environment) : []),
      ]
    : []
  const warnings = warningsOf(prepared.problems)
  const errors = errorsOf(prepared.problems)
  return [
    ...lines,
    ...(warnings.length > 0 ? ['Warnings:', ...warnings.map(bullet), ''] : []),
    ...(prepared.ok
      ? verdict(prepared)
      : ['Validation failed:', ...errors.map(bullet), ...excerpt(loaded.excerpt), ...firstSteps(prepared)]),
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

/** For somebody who has no hank yet, or no key. */
function firstSteps({ loaded, problems }: Prepared): readonly string[] {
  if (errorsOf(problems).some(({ message }) => message.includes('No key for ')))
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

/** Writes the editor's schema into a hank that has none; the line to print, when it did. */
export async function schemaLine({ loaded }: Prepared): Promise<string | undefined> {
  if (!loaded.source) return undefined
  const line = await addSchemaLine(loaded.source, version)
  return line.added ? line.message : undefined
}
