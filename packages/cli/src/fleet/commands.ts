import type { CommandRow } from '../command-row.ts'

const always = ['no-color', 'help', 'version'] as const

/** TABLE of the commands of the fleet. What they do is in a package of its own, `weave-fleet`. */
export const fleetCommands: Readonly<Record<string, CommandRow>> = {
  submit: {
    usage: 'weave submit <hank> [--data <path>]... [--data-glob <pattern>]...',
    summary: 'queue one execution of a hank for each data set, for the workers of a fleet',
    flags: [
      'submit-data',
      'data-glob',
      'batch-name',
      'priority',
      'weight',
      'max-running',
      'max-cost-each',
      'submit-max-time',
      'submit-model',
      'idempotency-key',
      'submit-rehearse',
      'here',
      'slots',
      'lease',
      'results-folder',
      'json',
      'skip-self-test',
      'runtime-config',
      'env-file',
      ...always,
    ],
    load: async () => (await import('./submit.ts')).submitCommand,
  },
  worker: {
    usage: 'weave worker',
    summary: 'take executions that were submitted, as many at once as there are slots',
    flags: ['slots', 'fleet-root', 'lease', 'until-idle', 'env-file', ...always],
    load: async () => (await import('./worker.ts')).workerCommand,
  },
  fleet: {
    usage: 'weave fleet <status|cancel|results> [batch]',
    summary: 'look at what was submitted, end it, or collect its results',
    flags: ['cancel-now', 'results-folder', 'json', 'env-file', ...always],
    load: async () => (await import('./fleet.ts')).fleetCommand,
  },
  'fleet-turn': {
    usage: 'weave fleet-turn',
    summary: 'the process of one turn of an execution',
    flags: [],
    hidden: true,
    load: async () => (await import('./turn.ts')).fleetTurnCommand,
  },
}
