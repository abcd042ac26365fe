import type { ProblemCode } from '@weave/protocol'
import { type Problem, problemOf, type Severity } from '../../kit/index.ts'
import type { CurableSubject } from '../codons.ts'
import type { Cure } from '../cures.ts'
import type { HankFile } from '../schema.ts'

/** What a rule may look at besides the file itself. Rules read; none of them writes, starts or connects anything. */
export interface CheckContext {
  /** The directory that holds the hank file; every reference is relative to it and stays inside it. */
  readonly hankDir: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** A model from flag, environment or `weave.json`: it replaces the model of every codon. */
  readonly modelOverride?: string | undefined
  /** Dollar and time ceilings from flags and `weave.json`, which the budget warnings take into account. */
  readonly ceilings?: Ceilings
  /** The output directory of the run, when it is known; one that is not empty gets a warning. */
  readonly outputDirectory?: string | undefined
  /** What is known of a model's price; undefined for a model without one. */
  readonly priceOf: (model: string) => object | undefined
  /** What a model name means, the same for two names of one model; undefined for an unknown one. */
  readonly identityOf?: (model: string) => string | undefined
}

export interface Ceilings {
  readonly maxDollars?: number | undefined
  readonly maxTimeSeconds?: number | undefined
  /** Who says so, as a person would look for it: `weave.json`, `--max-cost`. */
  readonly origins?: {
    readonly maxDollars?: string | undefined
    readonly maxTimeSeconds?: string | undefined
  }
}

/** Takes what a rule finds: about a codon, a loop or a field of one, or about a place of the file that needs no name. */
export type Report = Readonly<
  Record<Severity, (code: ProblemCode, about: CurableSubject | string, message: string) => void>
>

/** One family of rules. Never throws: what is wrong is reported, all of it at once. */
export type Check = (hank: HankFile, report: Report, context: CheckContext) => void

/** A problem that a rule knows how to mend, once its place in the text is known. */
export interface CurableProblem extends Problem<ProblemCode> {
  readonly cure?: Cure
}

/** What all of these checks report, in their order. */
export function problemsOf(
  checks: readonly Check[],
  hank: HankFile,
  context: CheckContext,
): readonly CurableProblem[] {
  const found: CurableProblem[] = []
  const take =
    (severity: Severity): Report[Severity] =>
    (code, about, message) => {
      if (typeof about === 'string') return void found.push(problemOf({ severity, code, message }, about))
      const { where, label, cure } = about
      const problem = problemOf({ severity, code, message: `${label}: ${message}` }, where)
      found.push({ ...problem, ...(cure && { cure }) })
    }
  const report = { error: take('error'), warning: take('warning') }
  for (const check of checks) check(hank, report, context)
  return found
}

/** Text of the author inside a message: in quotes, on one line, and short. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text)
}

/** A path or command as it stands in a message: without quotes, control characters made visible, and short. */
export function shown(text: string): string {
  return quoted(text).slice(1, -1).replaceAll('\\\\', '\\').replaceAll('\\"', '"')
}

/** `$2.5`, `$0.0001`: no more digits than say something. */
export function dollars(amount: number): string {
  return `$${Number(amount.toPrecision(6))}`
}

/** `1 more codon`, `3 more codons`. */
export function moreCodons(count: number): string {
  return count === 1 ? '1 more codon' : `${count} more codons`
}

/** How a message about one codon goes on that is also about others: ` and 3 more codons`. */
export function andMore(more: number): string {
  return more === 0 ? '' : ` and ${moreCodons(more)}`
}

const longest = 200
