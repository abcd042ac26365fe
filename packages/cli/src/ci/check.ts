import { resolve } from 'node:path'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { plural } from '../terminal.ts'
import { checkHanks, type HanksToCheck, rootOf } from '../validate/check-hanks.ts'
import { githubLines } from '../validate/formats/github.ts'
import { markdownText } from '../validate/formats/markdown.ts'
import { problemLine, type Verdict, verdictOf } from '../validate/formats/verdict.ts'
import { writeWhole } from '../write-file.ts'
import { passes, readBaseline, withBaseline } from './baseline.ts'
import type { BuildMachine } from './build-machine.ts'

export interface CheckedInCi {
  readonly code: ExitCode
  readonly verdicts: readonly Verdict[]
}

/** Checks hanks without a request to anybody, and tells the build machine in every way that was asked for. */
export async function checkInCi(
  args: Arguments,
  machine: BuildMachine,
  hanks: HanksToCheck & { readonly needsKeys: boolean },
): Promise<CheckedInCi> {
  const { terminal } = machine
  const { baseline: file } = args.texts
  const baseline = file === undefined ? undefined : await readBaseline(resolve(file))
  if (baseline?.ok === false) {
    terminal.error(baseline.message)
    return { code: exitCodes.usage, verdicts: [] }
  }
  const quiet = { ...args, switches: new Set([...args.switches, 'skip-self-test' as const]) }
  const workingDirectory = process.cwd()
  const at = { workingDirectory, root: rootOf(process.env, workingDirectory) }
  const checked = await checkHanks(quiet, terminal, hanks)
  const verdicts = checked
    .map(({ prepared, named }) => verdictOf(prepared, named, at))
    .map(verdict => (hanks.needsKeys ? verdict : withoutKeys(verdict)))
    .map(verdict => (baseline ? withBaseline(verdict, baseline.known) : verdict))
  const isValid = verdicts.every(passes)
  if (machine.isGithub) machine.command(githubLines(verdicts, 'in the summary'))
  for (const line of verdictLines(verdicts, machine.isGithub)) terminal.out(line)
  await machine.addSummary(markdownText(verdicts))
  await machine.addOutputs({ valid: String(isValid), status: isValid ? 'valid' : 'invalid' })
  const problems = await writeFiles(args, verdicts)
  for (const problem of problems) terminal.error(problem)
  const isGood = isValid && problems.length === 0
  return { code: isGood ? exitCodes.done : exitCodes.failed, verdicts }
}

/** A rehearsal needs no key. */
function withoutKeys(verdict: Verdict): Verdict {
  return { ...verdict, problems: verdict.problems.filter(({ code }) => code !== 'key/missing') }
}

/** A line for each hank; and one for each problem, where it is not shown as an annotation. */
function verdictLines(verdicts: readonly Verdict[], isAnnotated: boolean): readonly string[] {
  return verdicts.flatMap(verdict => {
    const { file, ok, counts, problems } = verdict
    const fresh = problems.filter(({ isKnown }) => !isKnown)
    const known = problems.length - fresh.length
    const size = `${plural(counts.codons, 'codon')}, ${plural(counts.loops, 'loop')}`
    const result = ok ? `valid, ${size}` : passes(verdict) ? 'nothing new is wrong' : 'not valid'
    return [
      `${file}: ${result}${known > 0 ? `; ${plural(known, 'problem')} in the baseline` : ''}`,
      ...(isAnnotated ? [] : fresh.map(each => `  ${each.severity} ${each.code} ${problemLine(each)}`)),
    ]
  })
}

/** TABLE of the files that may be asked for. */
const files = {
  sarif: async () => {
    const { sarifText } = await import('../validate/formats/sarif.ts')
    return sarifText
  },
  junit: async () => {
    const { junitText } = await import('../validate/formats/junit.ts')
    return junitText
  },
  'code-quality': async () => {
    const { codeQualityText } = await import('../validate/formats/code-quality.ts')
    return codeQualityText
  },
} as const

async function writeFiles({ texts }: Arguments, verdicts: readonly Verdict[]): Promise<readonly string[]> {
  const problems: string[] = []
  for (const [name, load] of Object.entries(files)) {
    const file = texts[name as keyof typeof files]
    if (file === undefined) continue
    const text = (await load())(verdicts)
    const problem = await writeWhole(resolve(file), text.endsWith('\n') ? text : `${text}\n`)
    if (problem !== undefined) problems.push(problem)
  }
  return problems
}
