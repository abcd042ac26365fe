import type { LogLevel, SettingField } from '@weave/runtime'
import { fleetFlags } from './fleet/flags.ts'
import { webFlags } from './web/flags.ts'

/**
 * TABLE of all flags. Parsing, help and the settings layer of the command line are made from it; a command lists the
 * names it takes. A flag that does nothing yet is not here.
 */
export interface Flag {
  readonly kind: 'switch' | 'text'
  readonly short?: string
  /** What stands for the value in help: `--model <name>`. */
  readonly value?: string
  readonly summary: string
  /** The only values it takes. */
  readonly choices?: readonly string[]
  /** The setting it sets; a switch sets it to true, or to what `sets` says. */
  readonly setting?: SettingField
  readonly sets?: boolean
  /** Not shown in help. */
  readonly hidden?: true
  /** May be given several times: all values count, in order. */
  readonly many?: true
  /** What people write, when that is not the name: one word may mean different things to different commands. */
  readonly word?: string
}

/** What people write after the two dashes. */
export function wordOf(name: FlagName): string {
  const { word }: Flag = flags[name]
  return word ?? name
}

export const flags = {
  validate: { kind: 'switch', summary: 'check everything, spend nothing, run nothing' },
  'skip-self-test': { kind: 'switch', summary: 'ask no provider whether key and model are good' },
  verbose: { kind: 'switch', summary: 'also print every setting with its origin, and the environment' },
  json: { kind: 'switch', summary: 'print JSON for programs instead of text for people' },
  format: {
    kind: 'text',
    value: 'format',
    summary: 'text for people, or json, github, sarif, junit, markdown; -o names the file to write',
    choices: ['text', 'json', 'github', 'sarif', 'junit', 'markdown'],
  },
  stdio: { kind: 'switch', summary: 'speak with the editor through standard input and output' },
  http: { kind: 'switch', summary: 'listen on a port of this machine, instead of standard input and output' },
  allow: {
    kind: 'text',
    value: 'groups',
    summary: 'more groups of tools, separated by commas: run (needs --max-cost), steer, gates',
  },
  hanks: {
    kind: 'text',
    value: 'dir',
    many: true,
    summary: 'hanks and data are inside of this directory; may be given several times',
  },
  watch: { kind: 'switch', summary: 'check again whenever a file changes that the hank uses' },
  sarif: { kind: 'text', value: 'file', summary: 'write the problems there as SARIF 2.1.0' },
  junit: {
    kind: 'text',
    value: 'file',
    summary: 'write problems, and what came of each codon, there as a JUnit report',
  },
  'code-quality': { kind: 'text', value: 'file', summary: 'write the problems there as GitLab shows them' },
  report: { kind: 'text', value: 'file', summary: 'write the page of the run there' },
  baseline: {
    kind: 'text',
    value: 'file',
    summary: 'problems that are in this file, an earlier --sarif, fail nothing',
  },
  data: { kind: 'text', value: 'path', summary: 'the data; every other word is a hank then' },
  model: {
    kind: 'text',
    short: 'm',
    value: 'name',
    summary: 'use this model for every codon',
    setting: 'model',
  },
  'max-cost': {
    kind: 'text',
    value: 'dollars',
    summary: 'ceiling in US dollars for the whole run',
    setting: 'budget.maxDollars',
  },
  'max-time': {
    kind: 'text',
    value: 'seconds',
    summary: 'ceiling in seconds for the whole run',
    setting: 'budget.maxTimeSeconds',
  },
  output: {
    kind: 'text',
    short: 'o',
    value: 'dir',
    summary: 'where output files are copied to',
    setting: 'outputDirectory',
  },
  port: {
    kind: 'text',
    value: 'number',
    summary: 'port of the control socket; 0 lets the system choose',
    setting: 'port',
  },
  'idle-timeout': {
    kind: 'text',
    value: 'seconds',
    summary: 'close silent connections after so long; 0 never',
    setting: 'idleTimeout',
  },
  'shim-idle-timeout': {
    kind: 'text',
    value: 'seconds',
    summary: 'longest silence of an agent',
    setting: 'shimIdleTimeout',
  },
  proxy: { kind: 'switch', summary: 'run the model proxy', setting: 'withoutProxy', sets: false },
  'without-proxy': {
    kind: 'switch',
    summary: 'do not run the model proxy',
    setting: 'withoutProxy',
    hidden: true,
  },
  'vendor-base-url': {
    kind: 'text',
    value: 'url',
    summary: 'upstream address of the model proxy',
    setting: 'vendorBaseUrl',
  },
  'ignore-rig-failures': {
    kind: 'switch',
    summary: 'let no failure of a rig fail its codon',
    setting: 'ignoreRigFailures',
  },
  otel: {
    kind: 'switch',
    summary: 'send OpenTelemetry spans of the run to your collector',
    setting: 'otel.enabled',
  },
  gate: {
    kind: 'text',
    value: 'place',
    summary:
      'wait for a person there: before:<codon> or after:<codon>, several with commas; with "weave gate" the id of one',
  },
  'no-gate': { kind: 'text', value: 'id', summary: 'leave this gate out of this start; asks, or needs -y' },
  'on-gate': {
    kind: 'text',
    value: 'what',
    summary: 'at a gate: wait, or exit with code 3 and go on later',
    choices: ['wait', 'exit'],
  },
  note: { kind: 'text', short: 'm', value: 'text', summary: 'what the decision says, for the next codon' },
  'runtime-config': { kind: 'text', value: 'file', summary: 'read this instead of weave.json' },
  'env-file': {
    kind: 'text',
    value: 'file',
    summary: 'read variables such as keys from this file too; those of the environment win',
  },
  type: { kind: 'text', value: 'types', summary: 'only events of these types, separated by commas' },
  codon: {
    kind: 'text',
    value: 'id',
    summary: 'only events of this codon; all iterations of a loop without #n',
  },
  since: { kind: 'text', value: 'seq', summary: 'only events after this one' },
  steer: { kind: 'switch', summary: 'start, skip, redo and go back from the screen, too' },
  now: { kind: 'switch', summary: 'kill it; the next start puts right what it left' },
  all: { kind: 'switch', summary: 'all there are, not only what people mostly want' },
  reason: { kind: 'text', value: 'text', summary: 'why; it is written down' },
  timeout: { kind: 'text', value: 'seconds', summary: 'give up after so long, with exit code 1' },
  conversation: { kind: 'switch', summary: 'prompts, answers, tool calls and results as a text to read' },
  follow: { kind: 'switch', short: 'f', summary: 'go on as events come' },
  'output-file': {
    kind: 'text',
    short: 'o',
    value: 'file',
    summary: 'write the page there instead of into the working directory; - prints it',
  },
  costs: { kind: 'switch', summary: 'money and tokens, by codon and class of tokens' },
  requests: { kind: 'switch', summary: 'each request to a model that went through the proxy' },
  otlp: { kind: 'switch', summary: 'OpenTelemetry spans, to your collector or into a file' },
  run: { kind: 'text', value: 'id', summary: 'only this run: its id or the beginning of it' },
  content: {
    kind: 'text',
    value: 'level',
    summary:
      'what goes with the spans: none, tools (arguments and results) or all (prompts and messages, too)',
    choices: ['none', 'tools', 'all'],
  },
  names: {
    kind: 'text',
    value: 'version',
    summary: 'which conventions name things: 1.41 or latest',
    choices: ['1.41', 'latest'],
  },
  endpoint: {
    kind: 'text',
    value: 'url',
    summary: 'the collector, instead of what OTEL_EXPORTER_OTLP_ENDPOINT says',
  },
  file: { kind: 'text', value: 'file', summary: 'write JSON lines there instead of sending; - prints them' },
  csv: { kind: 'switch', summary: 'print a table for spreadsheets instead of text for people' },
  stat: { kind: 'switch', summary: 'only how many lines of each file' },
  plan: { kind: 'switch', summary: 'the plans that the execution has had, and what each changed' },
  'name-only': { kind: 'switch', summary: 'only the names of files' },
  preview: { kind: 'switch', summary: 'only say what would be done' },
  undo: { kind: 'switch', summary: 'go back to before the last rollback' },
  'older-than': {
    kind: 'text',
    value: 'age',
    summary: 'remove executions not used for so long, such as 30d',
  },
  status: {
    kind: 'text',
    value: 'status',
    summary: 'only those that are running, completed, failed, stopped, crashed or new',
    choices: ['running', 'completed', 'failed', 'stopped', 'crashed', 'new', 'unreadable'],
  },
  hank: { kind: 'text', value: 'name', summary: 'only those of this hank: a part of its name, or its path' },
  prune: { kind: 'text', value: 'age', summary: 'drop what no checkpoint needs and is older, such as 7d' },
  'no-color': { kind: 'switch', summary: 'no colours' },
  dry: { kind: 'switch', summary: 'show what would be asked, and ask no model' },
  execution: {
    kind: 'text',
    short: 'e',
    value: 'execution',
    summary: 'which execution: its name, the beginning of it, a path, or @last for the newest',
  },
  adopt: {
    kind: 'switch',
    summary: 'take the edited hank over into the execution, for what is not done yet',
  },
  'dry-run': { kind: 'switch', summary: 'with --adopt: only say what would change' },
  'start-new': { kind: 'switch', short: 'n', summary: 'ignore earlier executions of this hank and data' },
  force: { kind: 'switch', summary: 'with --start-new -e: reuse a directory that has an execution' },
  'no-wipe': { kind: 'switch', summary: 'with --force: leave the files of the workspace' },
  copy: { kind: 'switch', summary: 'copy the data instead of linking it' },
  input: { kind: 'text', value: 'text', summary: 'this text is the data' },
  'overwrite-output': { kind: 'switch', summary: 'replace output files instead of renaming new ones' },
  headless: { kind: 'switch', summary: 'no screen: plain lines, ends with the hank' },
  detach: {
    kind: 'switch',
    short: 'd',
    summary: 'start it in a session of its own and come back: the run goes on without this terminal',
  },
  detached: { kind: 'switch', hidden: true, summary: 'this process was started by --detach' },
  'keep-alive': { kind: 'switch', summary: 'keep the server up when the hank is done' },
  'no-autostart': {
    kind: 'switch',
    summary: 'wait for a client to start each codon',
    setting: 'autostart',
    sets: false,
  },
  'readonly-only': {
    kind: 'switch',
    summary: 'let clients watch only',
    setting: 'readonlyOnly',
  },
  ...webFlags,
  host: { kind: 'text', value: 'address', summary: 'listen there too; needs --token' },
  token: { kind: 'text', value: 'secret', summary: 'what clients must say; or set WEAVE_TOKEN' },
  'allow-other-users': { kind: 'switch', summary: 'let other users of this machine connect' },
  'log-level': {
    kind: 'text',
    value: 'level',
    summary: 'debug, info, warn or error, for the server log',
    choices: ['debug', 'info', 'warn', 'error'] satisfies readonly LogLevel[],
  },
  script: {
    kind: 'text',
    value: 'file',
    summary: 'what the scripted model answers, instead of rehearsal.json',
  },
  strict: {
    kind: 'switch',
    summary: 'fail when a codon has no steps in the script, or steps or recorded requests are left over',
  },
  rules: {
    kind: 'text',
    value: 'file',
    summary: 'the file whose rules are tried, instead of weave.json here',
  },
  notify: {
    kind: 'text',
    value: 'file',
    summary: 'tell those of this run whom this file names, instead of ~/.weave/notify.json',
  },
  'no-notify': { kind: 'switch', summary: 'tell nobody of this run' },
  record: {
    kind: 'text',
    value: 'dir',
    summary: 'write every exchange with a model into this new directory, through the proxy',
  },
  replay: { kind: 'text', value: 'dir', summary: 'answer with what was recorded there; ask nobody' },
  at: {
    kind: 'text',
    value: 'checkpoint',
    summary: 'where to begin: draft, draft:start, start, a sha; every name of weave checkpoints',
  },
  'fork-hank': {
    kind: 'text',
    word: 'hank',
    value: 'hank',
    summary: 'another hank takes over; what has run must be its beginning',
  },
  'fork-to': {
    kind: 'text',
    word: 'execution',
    short: 'e',
    value: 'dir',
    summary: 'make it in this directory, which must not exist',
  },
  'with-untracked': {
    kind: 'switch',
    summary: 'also copy files of the workspace that are in no checkpoint, as they are now',
  },
  'fork-rehearse': {
    kind: 'switch',
    word: 'rehearse',
    summary: 'make a rehearsal of a real execution',
  },
  'fork-run': { kind: 'switch', word: 'run', summary: 'go on in it at once' },
  'compare-files': { kind: 'switch', word: 'files', summary: 'only the files' },
  'compare-conversation': {
    kind: 'switch',
    word: 'conversation',
    summary: 'only what agents said and did, with the first difference',
  },
  'compare-costs': { kind: 'switch', word: 'costs', summary: 'only money, tokens and time' },
  'compare-diff': { kind: 'switch', word: 'diff', summary: 'with the differences as text' },
  'compare-all': { kind: 'switch', word: 'all', summary: 'also what is the same on both sides' },
  'exit-code': {
    kind: 'switch',
    summary: 'exit 0 when they are the same, 1 when not, 2 when that is not known',
  },
  html: { kind: 'text', value: 'file', summary: 'write it as one page for a browser' },
  good: {
    kind: 'text',
    value: 'checkpoint',
    summary: 'where the command still succeeded; the beginning unless said',
  },
  bad: { kind: 'text', value: 'checkpoint', summary: 'where the command fails; the newest unless said' },
  rigs: { kind: 'switch', summary: 'also the checkpoints after rigs' },
  'completed-only': { kind: 'switch', summary: 'only ends of codons that completed' },
  link: {
    kind: 'text',
    value: 'path',
    many: true,
    summary: 'link this path of the workspace, such as node_modules; may be given several times',
  },
  setup: {
    kind: 'text',
    value: 'command',
    summary: 'a shell command to run first in each directory; if it fails the checkpoint is skipped',
  },
  repeat: {
    kind: 'text',
    value: 'number',
    summary: 'run the command so often for each checkpoint; bad if it fails once',
  },
  'bisect-timeout': {
    kind: 'text',
    word: 'timeout',
    value: 'seconds',
    summary: 'a command that takes longer has failed',
  },
  'bisect-all': {
    kind: 'switch',
    word: 'all',
    summary: 'test every checkpoint and print the row of verdicts',
  },
  ...fleetFlags,
  yes: { kind: 'switch', short: 'y', summary: 'answer every question with yes' },
  help: { kind: 'switch', short: 'h', summary: 'print this' },
  version: { kind: 'switch', summary: 'print the version' },
} as const satisfies Record<string, Flag>

export type FlagName = keyof typeof flags

/** The flags that change a setting, in the order of the table. */
export const settingFlags = Object.entries(flags as Readonly<Record<FlagName, Flag>>).flatMap(
  ([name, flag]) => (flag.setting === undefined ? [] : [name as FlagName]),
)
