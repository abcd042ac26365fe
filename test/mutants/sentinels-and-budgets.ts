import type { Mutant } from './mutant.ts'

const restTest = 'packages/runtime/test/execution/sentinel-rest.test.ts'
const promptTest = 'packages/runtime/test/sentinel/prompts.test.ts'
const configTest = 'packages/runtime/test/hank/sentinel-config.test.ts'

export const sentinelsAndBudgets: readonly Mutant[] = [
  {
    rule: 'd14/sentinel-follow-ups-trigger-nothing',
    file: 'packages/runtime/src/execution/sentinel-effects.ts',
    find: 'sentinels: states } }, bySentinel)',
    replace: 'sentinels: states } })',
    killedBy: [restTest],
  },
  {
    rule: 'd14/sentinel-follow-ups-trigger-nothing',
    file: 'packages/runtime/src/execution/sentinel-effects.ts',
    find: "severity: 'warning' }, bySentinel)",
    replace: "severity: 'warning' })",
    killedBy: [restTest],
  },
  {
    rule: 'd14/sentinel-follow-ups-trigger-nothing',
    file: 'packages/runtime/src/runner/snapshots.ts',
    find: "journal.lastSeqWithoutOrigin > lastSeq ? undefined : 'sentinel'",
    replace: 'undefined',
    killedBy: [restTest],
  },
  {
    rule: 'd14/sentinel-follow-ups-trigger-nothing',
    file: 'packages/runtime/src/execution/effects.ts',
    find: "isWritten(path) ? 'sentinel' : undefined",
    replace: 'undefined',
    killedBy: [restTest],
  },
  {
    rule: 'd14/sentinel-follow-ups-trigger-nothing',
    file: 'packages/runtime/src/runner/budget-watch.ts',
    find: "act(guard.sentinels(dollars), 'sentinel')",
    replace: 'act(guard.sentinels(dollars))',
    killedBy: [restTest],
  },
  {
    rule: 'd10/sentinel-events-ignored',
    file: 'packages/runtime/src/sentinel/workbench.ts',
    find: 'trigger.wants(event.type) && !followsFromSentinel(event)',
    replace: 'trigger.wants(event.type)',
    killedBy: ['packages/runtime/test/sentinel/workbench.test.ts'],
  },
  {
    rule: 'd14/template-dates',
    file: 'packages/runtime/src/sentinel/template.ts',
    find: 'it.world.currentTime = __date(it.world.currentTime); it.codon.startTime',
    replace: 'it.codon.startTime',
    killedBy: ['packages/runtime/test/sentinel/template.test.ts'],
  },
  {
    rule: 'd14/sentinel-prompt-file-list',
    file: 'packages/runtime/src/sentinel/ready-sentinel.ts',
    find: '[paths ?? []].flat()',
    replace: '[paths ?? []].flat().slice(0, 1)',
    killedBy: [promptTest],
  },
  {
    rule: 'd14/sentinel-schema-str',
    file: 'packages/runtime/src/sentinel/ready-sentinel.ts',
    find: 'read?.text ?? wanted.schemaStr',
    replace: 'read?.text',
    killedBy: [promptTest],
  },
  {
    rule: 'd14/sentinel-output-format-default',
    file: 'packages/runtime/src/hank/sentinel-schema.ts',
    find: "z.enum(['text', 'jsonl']).default('text')",
    replace: "z.enum(['text', 'jsonl']).default('jsonl')",
    killedBy: [configTest],
  },
  {
    rule: 'd14/sentinel-output-beside-structured',
    file: 'packages/runtime/src/hank/sentinel-config.ts',
    find: "structuredOutput && isGiven('output', 'format')",
    replace: "structuredOutput && isGiven('output')",
    killedBy: [configTest],
  },
  {
    rule: 'd14/health-check-owner',
    file: 'packages/runtime/src/sentinel/model-calls.ts',
    find: 'users.find(',
    replace: 'users.findLast(',
    killedBy: ['packages/runtime/test/sentinel/health.test.ts'],
  },
  {
    rule: 'd14/wait-for-all-health-checks',
    file: 'packages/runtime/src/execution/start.ts',
    find: 'await opening.startHealthChecks()',
    replace: 'void opening.startHealthChecks()',
    killedBy: ['test/e2e/health-checks.test.ts'],
  },
  {
    rule: 'd14/proportional-leftover',
    file: 'packages/runtime/src/hank/budget-arithmetic.ts',
    find: 'Math.min(left, own + returned)',
    replace: 'Math.min(left, pool.shares.has(child) ? own : own + returned)',
    killedBy: ['packages/runtime/test/runner/budget-pool.test.ts'],
  },
  {
    rule: 'd14/proportional-table',
    file: 'packages/runtime/src/budget/forecast.ts',
    find: 'return tidy(most) > limit.amount ?',
    replace: 'return tidy(most) < limit.amount ?',
    killedBy: ['packages/runtime/test/budget/forecast.test.ts'],
  },
  {
    rule: 'd14/budget-stop-info',
    file: 'packages/runtime/src/runner/budget-watch.ts',
    find: "  emit({ type: 'info', data: { message } })\n",
    replace: '',
    killedBy: ['test/e2e/budget-stops.test.ts'],
  },
  {
    rule: '7.3/warn-budget-zero',
    file: 'packages/runtime/src/hank/checks/budget-limits.ts',
    find: '  for (const placed of codonsOf(hank)) reportZeroLimits(placed, placed.codon.budget, report)\n',
    replace: '',
    killedBy: ['packages/runtime/test/hank/checks/budgets.test.ts'],
  },
  {
    rule: '6/token-usage-model-usage',
    file: 'packages/runtime/src/runner/usage.ts',
    find: '      count(known, -1)\n',
    replace: '',
    killedBy: ['packages/runtime/test/runner/usage.test.ts'],
  },
]
