import { basename, join, resolve } from 'node:path'
import { formatProblem, openRehearsal, type Plan, type Prepared } from '@weave/runtime'
import type { DataSet } from 'weave-fleet'
import { paintVerdict } from '../colour.ts'
import type { Arguments } from '../parse-arguments.ts'
import { prepareRun } from '../prepare-run.ts'
import type { Terminal } from '../terminal.ts'
import { report } from '../validate/report.ts'
import { askedModels, neededProviders, unpricedIn } from './asked-models.ts'
import { hankFolderOf } from './data-sets.ts'

export interface CheckedHank {
  readonly name: string
  readonly plan: Plan
  /** Models that it uses and whose spending nobody can count. */
  readonly unpriced: readonly string[]
  /** Whose keys a worker needs. */
  readonly providers: readonly string[]
}

export interface HankWish {
  readonly hank: string
  readonly sets: readonly DataSet[]
}

/** Validates the hank as a run would, and the models of data sets; undefined: it was said what is wrong. */
export async function checkedHank(
  { hank, sets }: HankWish,
  args: Arguments,
  terminal: Terminal,
): Promise<CheckedHank | undefined> {
  const isRehearsal = args.switches.has('submit-rehearse')
  const file = join(resolve(hankFolderOf(hank)), 'rehearsal.json')
  const opened = isRehearsal
    ? await openRehearsal({ file, isNamed: false, strict: false, throughProxy: false })
    : undefined
  if (opened && !opened.ok) {
    for (const problem of opened.problems) terminal.error(formatProblem(problem))
    return undefined
  }
  try {
    const redirect = opened?.rehearsal.environment
    const model = args.texts['submit-model']
    const texts = { ...args.texts, ...(model !== undefined && { model }) }
    const run = await prepareRun({ ...args, positionals: [hank], texts }, { ...(redirect && { redirect }) })
    if (!run.ok) terminal.error(run.usage)
    else if (!run.prepared.ok || !run.prepared.plan)
      for (const line of report(run.prepared, { verbose: false, environment: {} }))
        terminal.error(line, paintVerdict)
    else {
      const { plan } = run.prepared
      const facts = factsOf({ ...run.prepared, plan }, sets)
      const name =
        args.texts['batch-name'] ??
        run.prepared.loaded.hank?.meta?.name ??
        basename(resolve(hankFolderOf(hank)))
      if ('problem' in facts) terminal.error(facts.problem)
      else return { name, plan, ...facts, ...(isRehearsal && { providers: [] }) }
    }
    return undefined
  } finally {
    await opened?.rehearsal.close()
  }
}

function factsOf(
  { plan, registry }: { readonly plan: Plan; readonly registry: Prepared['registry'] },
  sets: readonly DataSet[],
) {
  const asked = askedModels(plan, registry, sets)
  if ('problem' in asked) return asked
  return { unpriced: unpricedIn(asked, registry), providers: neededProviders(asked, registry) }
}
