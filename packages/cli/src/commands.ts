import type { FlagName } from './flags.ts'
import type { Arguments } from './parse-arguments.ts'
import type { ExitCode } from './program.ts'
import type { Terminal } from './terminal.ts'

/** TABLE of the commands. Each is loaded only when it runs. A command that does not exist yet is not here. */
export interface CommandRow {
  readonly usage: string
  readonly summary: string
  readonly flags: readonly FlagName[]
  /** Not for people, so not in help. */
  readonly hidden?: true
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
  'otel',
  'runtime-config',
  'env-file',
  'skip-self-test',
] as const satisfies readonly FlagName[]

const running = [
  'execution',
  'adopt',
  'dry-run',
  'start-new',
  'force',
  'no-wipe',
  'copy',
  'input',
  'overwrite-output',
  'headless',
  'keep-alive',
  'no-autostart',
  'readonly-only',
  'host',
  'token',
  'allow-other-users',
  'log-level',
  'record',
  'notify',
  'no-notify',
  'gate',
  'no-gate',
  'on-gate',
  'yes',
] as const satisfies readonly FlagName[]

const detaching = ['detach', 'detached'] as const satisfies readonly FlagName[]

const always = ['no-color', 'help', 'version'] as const satisfies readonly FlagName[]

function steering(word: 'next' | 'skip' | 'redo', summary: string): CommandRow {
  return {
    usage: `weave ${word} [execution]`,
    summary,
    flags: ['token', 'execution', 'runtime-config', ...always],
    load: async () => (await import('./steer/steer.ts')).createSteerCommand(word),
  }
}

export const commands: Readonly<Record<string, CommandRow>> = {
  run: {
    usage: 'weave [hank] [data] [options]',
    summary: 'run a hank, or check it with --validate',
    flags: ['validate', 'verbose', 'json', ...running, ...detaching, ...preparing, ...always],
    load: async () => (await import('./run/run.ts')).runCommand,
  },
  rehearse: {
    usage: 'weave rehearse [hank] [data] [options]',
    summary: 'a whole run without a key or a token: only the model is a script',
    flags: ['script', 'replay', 'strict', 'json', ...running, ...detaching, ...preparing, ...always],
    load: async () => (await import('./run/rehearse.ts')).rehearseCommand,
  },
  resume: {
    usage: 'weave resume [execution]',
    summary: 'go on with an execution, the newest of this hank unless named',
    flags: ['json', ...running, ...detaching, ...preparing, ...always],
    load: async () => (await import('./run/resume.ts')).resumeCommand,
  },
  replay: {
    usage: 'weave replay <recording> [hank] [data] [options]',
    summary: 'repeat a recorded run without a model: short for weave rehearse --replay <recording>',
    flags: ['strict', 'json', ...running, ...detaching, ...preparing, ...always],
    load: async () => (await import('./run/rehearse.ts')).replayCommand,
  },
  validate: {
    usage: 'weave validate [hank...] [data]',
    summary: 'check hanks and everything they need, without spending a token',
    flags: ['verbose', 'json', 'format', 'watch', 'data', 'gate', ...preparing, ...always],
    load: async () => (await import('./validate/validate.ts')).validateCommand,
  },
  ci: {
    usage: 'weave ci <validate|rehearse|run> <hank...>',
    summary: 'check, rehearse or run hanks on a build machine: annotations, summary, files for it',
    flags: [
      'sarif',
      'junit',
      'code-quality',
      'report',
      'baseline',
      'data',
      'script',
      ...running,
      ...preparing,
      ...always,
    ],
    load: async () => (await import('./ci/ci.ts')).ciCommand,
  },
  init: {
    usage: 'weave init [dir]',
    summary: 'write a small hank to start from',
    flags: always,
    load: async () =>
      (await import('./init/init.ts')).createInitCommand(word => Object.hasOwn(commands, word)),
  },
  attach: {
    usage: 'weave attach [execution]',
    summary: 'watch a run that is going on, or steer it with --steer',
    flags: ['steer', 'json', 'token', 'execution', 'runtime-config', 'env-file', ...always],
    load: async () => (await import('./attach.ts')).attachCommand,
  },
  show: {
    usage: 'weave show [execution]',
    summary: 'look at an execution that has ended, on the screen of a run: stream, files, costs',
    flags: ['token', 'execution', 'runtime-config', ...always],
    load: async () => (await import('./show/show.ts')).showCommand,
  },
  next: steering('next', 'start the next codon of a run that waits'),
  skip: steering('skip', 'skip the codon that runs; the next one starts'),
  redo: steering('redo', 'run the last codon of a run that waits again'),
  stop: {
    usage: 'weave stop [execution]',
    summary: 'end a run in good order; it can be gone on with',
    flags: ['now', 'all', 'reason', 'token', 'execution', 'runtime-config', ...always],
    load: async () => (await import('./steer/stop.ts')).stopCommand,
  },
  wait: {
    usage: 'weave wait [execution]',
    summary:
      'wait until a run has ended; exits 0 when the hank is done, 1 when it failed, 3 when it waits at a gate, 130 when it was stopped',
    flags: ['timeout', 'execution', 'runtime-config', ...always],
    load: async () => (await import('./steer/wait.ts')).waitCommand,
  },
  gate: {
    usage: 'weave gate [list|approve|reject] [execution]',
    summary: 'say what a run waits for, and answer it; exits 1 when nothing waits',
    flags: ['note', 'gate', 'json', 'token', 'execution', 'runtime-config', ...always],
    load: async () => (await import('./gate/gate.ts')).gateCommand,
  },
  list: {
    usage: 'weave list',
    summary: 'list executions: hank, data, status, cost, age',
    flags: ['status', 'hank', 'json', 'runtime-config', ...always],
    load: async () => (await import('./list.ts')).listCommand,
  },
  journal: {
    usage: 'weave journal [execution]',
    summary: 'print what happened in an execution, the newest one unless named',
    flags: [
      'conversation',
      'all',
      'type',
      'codon',
      'since',
      'follow',
      'json',
      'execution',
      'runtime-config',
      ...always,
    ],
    load: async () => (await import('./journal.ts')).journalCommand,
  },
  checkpoints: {
    usage: 'weave checkpoints [execution]',
    summary: 'list the versions of the workspace that are kept, of the newest execution unless named',
    flags: ['json', 'execution', 'runtime-config', ...always],
    load: async () => (await import('./checkpoints/checkpoints.ts')).checkpointsCommand,
  },
  diff: {
    usage: 'weave diff <checkpoint> [checkpoint]',
    summary:
      'compare two checkpoints, or one with the disk: draft, draft:start, last-success, a sha; --plan: plans',
    flags: ['stat', 'name-only', 'plan', 'json', 'execution', 'runtime-config', ...always],
    load: async () => (await import('./checkpoints/diff.ts')).diffCommand,
  },
  compare: {
    usage: 'weave compare <execution>[@checkpoint] <execution>[@checkpoint]',
    summary: 'hold two executions against each other: codons, files, conversation, money, time',
    flags: [
      'compare-files',
      'compare-conversation',
      'compare-costs',
      'compare-diff',
      'compare-all',
      'exit-code',
      'html',
      'json',
      'runtime-config',
      ...always,
    ],
    load: async () => (await import('./versions/compare.ts')).compareCommand,
  },
  rollback: {
    usage: 'weave rollback <checkpoint>',
    summary: 'take an execution in which nothing runs back to a checkpoint',
    flags: ['preview', 'undo', 'json', 'execution', 'yes', 'runtime-config', ...always],
    load: async () => (await import('./checkpoints/rollback.ts')).rollbackCommand,
  },
  bisect: {
    usage: 'weave bisect [execution] [options] -- <command> [args]',
    summary: 'find the checkpoint with which a command begins to fail; exits 0 when it is found',
    flags: [
      'good',
      'bad',
      'rigs',
      'completed-only',
      'link',
      'setup',
      'repeat',
      'bisect-timeout',
      'bisect-all',
      'json',
      'execution',
      'runtime-config',
      ...always,
    ],
    load: async () => (await import('./versions/bisect.ts')).bisectCommand,
  },
  fork: {
    usage: 'weave fork [execution] --at <checkpoint>',
    summary: 'begin another execution as this one was at a checkpoint; the old one stays as it is',
    flags: [
      'at',
      'fork-hank',
      'model',
      'fork-to',
      'with-untracked',
      'fork-rehearse',
      'fork-run',
      'detach',
      'script',
      'headless',
      'yes',
      'json',
      'runtime-config',
      'env-file',
      ...always,
    ],
    load: async () => (await import('./versions/fork.ts')).forkCommand,
  },
  gc: {
    usage: 'weave gc [execution...]',
    summary: 'pack checkpoints and say what each execution holds, all of them unless named',
    flags: ['prune', 'older-than', 'json', 'yes', 'execution', 'runtime-config', ...always],
    load: async () => (await import('./checkpoints/gc.ts')).gcCommand,
  },
  rm: {
    usage: 'weave rm <execution...>',
    summary: 'remove executions with all they hold, after a yes',
    flags: ['yes', 'execution', 'runtime-config', ...always],
    load: async () => (await import('./remove.ts')).removeCommand,
  },
  report: {
    usage: 'weave report [execution]',
    summary: 'write what happened in an execution as one page for a browser, or print what it has cost',
    flags: ['output-file', 'costs', 'requests', 'json', 'csv', 'execution', 'runtime-config', ...always],
    load: async () => (await import('./report/report.ts')).reportCommand,
  },
  harness: {
    usage: 'weave harness <list|add|remove> [name...]',
    summary: 'list, install or remove the agents that hanks run on: claude, pi',
    flags: ['json', 'yes', ...always],
    load: async () => (await import('./harness/harness.ts')).harnessCommand,
  },
  export: {
    usage: 'weave export [execution] --otlp',
    summary:
      'send what happened in an execution to a collector as OpenTelemetry spans, or write them to a file',
    flags: [
      'otlp',
      'run',
      'content',
      'names',
      'endpoint',
      'file',
      'json',
      'execution',
      'runtime-config',
      'env-file',
      ...always,
    ],
    load: async () => (await import('./export/export.ts')).exportCommand,
  },
  doctor: {
    usage: 'weave doctor',
    summary: 'look at everything that a run needs on this machine',
    flags: ['port', 'otel', 'json', 'runtime-config', 'env-file', ...always],
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  models: {
    usage: 'weave models [filter]',
    summary: 'list the models, their prices and whose key is there',
    flags: ['json', 'env-file', ...always],
    load: async () => (await import('./models.ts')).modelsCommand,
  },
  sentinel: {
    usage: 'weave sentinel test <config>',
    summary: 'try a sentinel on what happened in an execution, the newest one unless named',
    flags: ['execution', 'codon', 'dry', 'runtime-config', 'env-file', ...always],
    load: async () => (await import('./sentinel.ts')).sentinelCommand,
  },
  rules: {
    usage: 'weave rules test [execution...]',
    summary: 'say when the rules of weave.json would have fired in runs that are recorded',
    flags: ['rules', 'json', 'execution', 'runtime-config', ...always],
    load: async () => (await import('./rules.ts')).rulesCommand,
  },
  lsp: {
    usage: 'weave lsp --stdio',
    summary: 'a language server for hanks, which editors start',
    flags: ['stdio', ...always],
    load: async () => (await import('./lsp/lsp.ts')).lspCommand,
  },
  mcp: {
    usage: 'weave mcp [options]',
    summary: 'an MCP server, which coding agents start: look at, check, rehearse and run hanks',
    flags: ['allow', 'hanks', 'max-cost', 'runtime-config', 'env-file', ...always],
    load: async () => (await import('./mcp/mcp.ts')).mcpCommand,
  },
  notify: {
    usage: 'weave notify test',
    summary: 'send a notification to everybody whom ~/.weave/notify.json names, and say what came of it',
    flags: ['notify', 'env-file', ...always],
    load: async () => (await import('./notify.ts')).notifyCommand,
  },
  schema: {
    usage: 'weave schema <hank|weave|sentinel|rehearsal|models|notify>',
    summary: 'print the JSON Schema that editors use',
    flags: always,
    load: async () => (await import('./schema.ts')).schemaCommand,
  },
  completion: {
    usage: 'weave completion <bash|zsh|fish|powershell>',
    summary: 'print what makes a shell complete commands and options',
    flags: always,
    load: async () => (await import('./completion.ts')).createCompletionCommand({ commands, defaultCommand }),
  },
  complete: {
    usage: 'weave complete -- <words...>',
    summary: 'what the last word of a command line can become, for shells',
    flags: [],
    hidden: true,
    load: async () => (await import('./complete.ts')).createCompleteCommand({ commands, defaultCommand }),
  },
  'agent-worker': {
    usage: 'weave agent-worker [home]',
    summary: 'the process in which an agent works',
    flags: [],
    hidden: true,
    load: async () => (await import('./agent-worker.ts')).agentWorkerCommand,
  },
  'terminal-face': {
    usage: 'weave terminal-face',
    summary: 'the process in which the terminal UI of a run works',
    flags: [],
    hidden: true,
    load: async () => (await import('./terminal-ui.ts')).terminalUiCommand,
  },
  'sentinel-sandbox': {
    usage: 'weave sentinel-sandbox',
    summary: 'the thread in which templates of sentinels are computed',
    flags: [],
    hidden: true,
    load: async () => (await import('./sentinel-sandbox.ts')).sentinelSandboxCommand,
  },
  'traces-thread': {
    usage: 'weave traces-thread',
    summary: 'the thread that sends spans of a run',
    flags: [],
    hidden: true,
    load: async () => (await import('./traces-thread.ts')).tracesThreadCommand,
  },
  warden: {
    usage: 'weave warden',
    summary: 'the process that ends what a killed server left behind',
    flags: [],
    hidden: true,
    load: async () => (await import('./warden.ts')).wardenCommand,
  },
}
