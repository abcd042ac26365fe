/** TABLE of the groups of tools: which there are, and which are there unless somebody says otherwise. */
export const groups = {
  read: { byDefault: true, summary: 'look at executions, journals, checkpoints, costs and models' },
  check: { byDefault: true, summary: 'check hanks and preview rollbacks' },
  rehearse: { byDefault: true, summary: 'run a hank against a scripted model' },
  run: { byDefault: false, summary: 'start, resume and stop real runs; needs --max-cost' },
  steer: { byDefault: false, summary: 'steer runs, roll back, undo' },
  gates: { byDefault: false, summary: 'ask a person for the decision on a gate' },
} as const

export type Group = keyof typeof groups

const names = Object.keys(groups) as readonly Group[]

export type AllowedGroups =
  | { readonly ok: true; readonly groups: ReadonlySet<Group> }
  | { readonly ok: false; readonly message: string }

/** The default groups and those that were named. Money is only spent below a ceiling that a person has set. */
export function allowedGroups(given: string | undefined, maxCost: string | undefined): AllowedGroups {
  const words = (given ?? '').split(',').flatMap(word => (word.trim() === '' ? [] : [word.trim()]))
  const unknown = words.find(word => !names.some(name => name === word))
  if (unknown !== undefined)
    return { ok: false, message: `--allow: there is no group ${unknown}. There are: ${names.join(', ')}.` }
  if (words.includes('run') && maxCost === undefined)
    return {
      ok: false,
      message: '--allow run needs a ceiling in dollars for each run: weave mcp --allow run --max-cost 5',
    }
  const wanted = names.filter(name => groups[name].byDefault || words.includes(name))
  return { ok: true, groups: new Set(wanted) }
}
