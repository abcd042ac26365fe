import type { ExitCode } from './exit.ts'
import type { FlagName } from './flags.ts'
import type { Arguments } from './parse-arguments.ts'
import type { Terminal } from './terminal.ts'

/** TABLE of the commands. Each is loaded only when it runs. A command that does not exist yet is not here. */
export interface CommandRow {
  readonly usage: string
  readonly summary: string
  readonly flags: readonly FlagName[]
  readonly load: () => Promise<(args: Arguments, terminal: Terminal) => Promise<ExitCode>>
}

export const defaultCommand = 'run'

const preparing = [
  'model',
  'max-cost',
  'max-time',
  'output',
  'port',
  'idle-timeout',
  'shim-idle-timeout',
  'proxy',
  'without-proxy',
  'vendor-base-url',
  'ignore-rig-failures',
  'runtime-config',
  'skip-self-test',
] as const satisfies readonly FlagName[]

const running = [
  'execution',
  'start-new',
  'force',
  'no-wipe',
  'copy',
  'input',
  'overwrite-output',
  'headless',
  'yes',
] as const satisfies readonly FlagName[]

const always = ['no-color', 'help', 'version'] as const satisfies readonly FlagName[]

export const commands: Readonly<Record<string, CommandRow>> = {
  run: {
    usage: 'weave [hank] [data] [options]',
    summary: 'run a hank, or check it with --validate',
    flags: ['validate', 'verbose', 'json', ...running, ...preparing, 'scripted', ...always],
    load: async () => (await import('./run/run.ts')).runCommand,
  },
  validate: {
    usage: 'weave validate [hank] [data]',
    summary: 'check a hank and everything it needs, without spending a token',
    flags: ['verbose', 'json', ...preparing, ...always],
    load: async () => (await import('./validate/validate.ts')).validateCommand,
  },
  init: {
    usage: 'weave init [dir]',
    summary: 'write a small hank to start from',
    flags: always,
    load: async () => (await import('./init/init.ts')).initCommand,
  },
  list: {
    usage: 'weave list',
    summary: 'list executions: hank, data, status, cost, age',
    flags: ['json', 'runtime-config', ...always],
    load: async () => (await import('./list.ts')).listCommand,
  },
  journal: {
    usage: 'weave journal [execution]',
    summary: 'print what happened in an execution, the newest one unless named',
    flags: ['type', 'codon', 'since', 'follow', 'json', 'runtime-config', ...always],
    load: async () => (await import('./journal.ts')).journalCommand,
  },
  models: {
    usage: 'weave models [filter]',
    summary: 'list the models, their prices and whose key is there',
    flags: ['json', ...always],
    load: async () => (await import('./models.ts')).modelsCommand,
  },
  schema: {
    usage: 'weave schema <hank|weave|sentinel|rehearsal>',
    summary: 'print the JSON Schema that editors use',
    flags: always,
    load: async () => (await import('./schema.ts')).schemaCommand,
  },
}
