import { join } from 'node:path'
import type { ProblemCode } from '@weave/protocol'
import { codonsOf, type HankFile, type PlacedCodon } from '../hank/index.ts'
import { settingsAbove } from '../harness/index.ts'
import { collector, type Problem, problemOf } from '../kit/index.ts'
import type { Registry, ResolvedModel } from '../models/index.ts'
import { type Plan, plannedCodons } from '../plan/index.ts'

export interface AgentsToCheck {
  readonly hank: HankFile
  readonly registry: Registry
  /** Undefined for a model that nobody knows. */
  readonly modelOf: (placed: PlacedCodon) => ResolvedModel | undefined
  /** A dollar limit of the whole run. */
  readonly hasCeiling: boolean
  readonly isRehearsal: boolean
}

/** What an agent that speaks ACP cannot do for a codon, as far as its row says. Nothing is started to find out. */
export function agentProblems({
  hank,
  registry,
  modelOf,
  hasCeiling,
  isRehearsal,
}: AgentsToCheck): readonly Problem<ProblemCode>[] {
  const problems = collector<ProblemCode>()
  const isLimited = hasCeiling || hank.overrides?.budget?.maxDollars !== undefined
  for (const placed of codonsOf(hank)) {
    const model = modelOf(placed)
    if (model?.agent === undefined) continue
    const { agent, hasOwnLogin } = model
    const { where, label, codon, loop } = placed
    const isContinuing = codon.continuationMode === 'continue-previous'
    if (isContinuing && registry.agents.get(agent)?.resume === false)
      problems.error(
        'agent/resume',
        `${where}.continuationMode`,
        `${label}: the agent ${agent} cannot continue a conversation. Set continuationMode to "fresh".`,
      )
    if (!hasOwnLogin) continue
    const hasBudget = [codon.budget, loop?.budget].some(budget => budget?.maxDollars !== undefined)
    if (isLimited || hasBudget)
      problems.error(
        'agent/budget',
        `${where}.model`,
        `${label}: the agent ${agent} asks its provider with a login of its own, so what it spends is not known and no dollar limit can stop it. Take the limit away, or limit time.`,
      )
    if (isRehearsal)
      problems.error(
        'agent/rehearsal',
        `${where}.model`,
        `${label}: the agent ${agent} asks its provider with a login of its own, which a rehearsal cannot lead elsewhere. Rehearse with another model: weave rehearse --model sonnet`,
      )
  }
  return problems.all()
}

/** The Claude agent would also read what lies above its workspace; so that it does not, it is given no settings at all. */
export function unreadSettings(
  plan: Plan | undefined,
  { base, home }: { readonly base: string; readonly home: string },
): readonly Problem<ProblemCode>[] {
  if (!plan || plannedCodons(plan).every(({ model }) => model.harness !== 'sdk')) return []
  const [folder] = settingsAbove(join(base, 'execution'), home)
  if (folder === undefined) return []
  const message = `${folder} lies above the workspaces, so agents of the Claude SDK read neither it nor .claude, .mcp.json and CLAUDE.md of their workspace. Move it, or set executionBaseDir to another place.`
  return [problemOf({ severity: 'warning', code: 'harness/settings-above', message })]
}
