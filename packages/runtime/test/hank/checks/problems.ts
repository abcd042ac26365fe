import { type Check, type CheckContext, problemsOf } from '../../../src/hank/checks/check.ts'
import type { HankFile } from '../../../src/hank/schema.ts'
import { formatProblem, type Problem } from '../../../src/kit/index.ts'

/** A place where nothing is: no files, no variables, no ceilings, and every model has a price. */
export function contextOf(fields: Partial<CheckContext> = {}): CheckContext {
  return { hankDir: '/nowhere', environment: {}, priceOf: () => ({}), ...fields }
}

/** What a check says, each problem as `severity: where: message`. */
export async function told(
  check: Check,
  hank: HankFile,
  context: Partial<CheckContext> = {},
): Promise<readonly string[]> {
  return problemsOf([check], hank, contextOf(context)).map(formatProblem)
}

/** The places of the problems, as `severity where`. */
export async function places(
  check: Check,
  hank: HankFile,
  context: Partial<CheckContext> = {},
): Promise<readonly string[]> {
  const problems: readonly Problem[] = problemsOf([check], hank, contextOf(context))
  return problems.map(({ severity, where }) => `${severity} ${where}`)
}
