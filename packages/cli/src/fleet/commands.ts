import type { CommandRow } from '../command-row.ts'

const always = [
  'fleet-url',
  'fleet-store',
  'runtime-config',
  'env-file',
  'no-color',
  'help',
  'version',
] as const

/** TABLE of the commands of the fleet. What they do is in a package of its own, `weave-fleet`. */
export const fleetCommands: Readonly<Record<string, CommandRow>> = {
  submit: {
    usage: 'weave submit <hank> [--data <path>]... [--data-glob <pattern>]...',
    summary: 'queue one execution of a hank for each data set, for the workers of a fleet',
    flags: [
      'submit-data',
      'data-glob',
      'matrix',
      'batch-name',
      'pool',
      'not-before',
      'priority',
      'weight',
      'max-running',
      'max-cost-each',
      'submit-max-time',
      'submit-model',
      'idempotency-key',
      'submit-rehearse',
      'submit-dry',
      'wait',
      'here',
      'slots',
      'lease',
      'results-folder',
      'json',
      'skip-self-test',
      ...always,
    ],
    load: async () => (await import('./submit.ts')).submitCommand,
  },
  worker: {
    usage: 'weave worker',
    summary: 'take executions that were submitted, as many at once as there are slots',
    flags: ['slots', 'pool', 'fleet-root', 'lease', 'until-idle', ...always],
    load: async () => (await import('./worker.ts')).workerCommand,
  },
  fleet: {
    usage: 'weave fleet <word> [batch|execution|worker]',
    summary:
      'look at what was submitted (status, list, watch, show, logs, workers, report), steer it (cancel, retry, pause, resume, drain), take it home (results, pull), keep the fleet well (doctor, gc, migrate, up, down)',
    flags: [
      'json',
      'follow',
      'cancel-now',
      'retry-failed',
      'retry-dead',
      'retry-cancelled',
      'drain-all',
      'reason',
      'results-folder',
      'csv',
      'html',
      'preview',
      ...always,
    ],
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
