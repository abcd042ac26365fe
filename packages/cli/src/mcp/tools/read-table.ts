import * as z from 'zod'
import type { Rows } from '../answers.ts'
import { answer, rows, untrusted } from '../shapes.ts'
import { type Tool, tool } from '../tool.ts'
import { inputs } from './inputs.ts'

/** Pages of rows that are counted. */
const counted = (field: string): Rows => ({
  field,
  next: (shown, value) => Number(value['skipped'] ?? 0) + shown.length,
})

/** Pages of events go on after the last one that was shown. */
const lastOf = (shown: readonly unknown[]) => (shown.at(-1) as { readonly seq?: number } | undefined)?.seq

const events: Rows = {
  field: 'events',
  next: lastOf,
  besides: shown => ({ lastSeq: lastOf(shown), hasMore: true }),
}

const eventRows = z.array(z.looseObject({ seq: z.number(), time: z.string(), type: z.string(), untrusted }))
const listExecutions = tool({
  name: 'list_executions',
  group: 'read',
  title: 'List executions',
  description: 'Executions of this machine, newest first: name, hank, status, cost, when.',
  input: inputs.list_executions,
  output: answer({ executions: rows, skipped: z.number() }),
  rows: counted('executions'),
  load: async () => (await import('./executions.ts')).listAll,
})

const getExecution = tool({
  name: 'get_execution',
  group: 'read',
  title: 'Look at an execution',
  description: 'Status, codons, costs and limits of one execution, and where it waits.',
  input: inputs.get_execution,
  output: answer({
    name: z.string(),
    id: z.string(),
    hank: z.string(),
    status: z.string(),
    isLive: z.boolean(),
    isRehearsal: z.boolean(),
    run: z.looseObject({ id: z.string(), startedAt: z.string() }),
    codons: rows,
    cost: z.number(),
    costUnknown: z.boolean(),
    budget: rows,
    waiting: z.looseObject({}),
    gate: z.looseObject({}),
    lastSeq: z.number(),
  }),
  rows: counted('codons'),
  load: async () => (await import('./executions.ts')).lookAt,
})

const readJournal = tool({
  name: 'read_journal',
  group: 'read',
  title: 'Read a journal',
  description:
    'Events of an execution after a number. fields summary: one line each; full: the whole data. Go on with since = lastSeq while hasMore.',
  input: inputs.read_journal,
  output: answer({ events: eventRows, lastSeq: z.number(), hasMore: z.boolean() }),
  rows: events,
  load: async () => (await import('./journal.ts')).readJournal,
})

const waitFor = tool({
  name: 'wait_for',
  group: 'read',
  title: 'Wait for events',
  description:
    'Waits until a run has an event of these types, has ended ("end") or waits for a command ("idle"), at most the given seconds. Call it again with since = lastSeq.',
  input: inputs.wait_for,
  output: answer({ events: eventRows, lastSeq: z.number(), hasMore: z.boolean(), hit: z.boolean() }),
  rows: events,
  load: async () => (await import('./journal.ts')).waitFor,
})

const listCheckpoints = tool({
  name: 'list_checkpoints',
  group: 'read',
  title: 'List checkpoints',
  description: 'Versions of the workspace that an execution keeps, oldest first.',
  input: inputs.list_checkpoints,
  output: answer({ checkpoints: rows, skipped: z.number() }),
  rows: counted('checkpoints'),
  load: async () => (await import('./versions.ts')).listCheckpoints,
})

const diffCheckpoints = tool({
  name: 'diff_checkpoints',
  group: 'read',
  title: 'Compare two checkpoints',
  description: 'Which files are different between two checkpoints; with path, the patch of that file.',
  input: inputs.diff_checkpoints,
  output: answer({ from: z.string(), to: z.string(), files: rows, untrusted, skipped: z.number() }),
  rows: counted('files'),
  load: async () => (await import('./versions.ts')).diffCheckpoints,
})

const readFile = tool({
  name: 'read_file',
  group: 'read',
  title: 'Read a file at a checkpoint',
  description: 'The text of a file of the workspace as it was at a checkpoint.',
  input: inputs.read_file,
  output: answer({ path: z.string(), bytes: z.number(), isBinary: z.boolean(), untrusted }),
  load: async () => (await import('./versions.ts')).readFile,
})

const costReport = tool({
  name: 'cost_report',
  group: 'read',
  title: 'What an execution has cost',
  description: 'Money and tokens by codon and by sentinel, with the prices they were counted with.',
  input: inputs.cost_report,
  output: answer({ codons: rows, sentinels: rows, totals: z.looseObject({}), costUnknown: z.boolean() }),
  rows: counted('codons'),
  load: async () => (await import('./executions.ts')).costs,
})

const listModels = tool({
  name: 'list_models',
  group: 'read',
  title: 'List models',
  description: 'Models that codons can use, with prices for a million tokens, and whether a key is there.',
  input: inputs.list_models,
  output: answer({ models: rows, skipped: z.number() }),
  rows: counted('models'),
  load: async () => (await import('./models.ts')).models,
})

export const readTools: readonly Tool[] = [
  listExecutions,
  getExecution,
  readJournal,
  waitFor,
  listCheckpoints,
  diffCheckpoints,
  readFile,
  costReport,
  listModels,
]
