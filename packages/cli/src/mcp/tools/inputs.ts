import * as z from 'zod'
import { checkpoint, data, execution, hank, limit, model, since, skip, token } from '../shapes.ts'

/** TABLE of what each tool takes. No tool takes a command, an environment, a key, or a path to write to. */

const types = z.array(z.string().max(100)).max(50)
const dollars = z.number().positive().max(1_000_000)
const maxCost = dollars.optional().describe('ceiling in dollars; never above the one that the operator set')
const undo = z.boolean().default(false).describe('to before the last rollback, instead of to a checkpoint')

export const inputs = {
  list_executions: z.strictObject({
    status: z.string().max(20).optional().describe('running, completed, failed, stopped, crashed or new'),
    hank: z.string().max(4096).optional().describe('a part of the name of the hank'),
    skip,
  }),
  get_execution: z.strictObject({ execution }),
  read_journal: z.strictObject({
    execution,
    since,
    limit,
    types: types.optional(),
    codon: z.string().max(300).optional(),
    fields: z.enum(['summary', 'full']).default('summary'),
  }),
  wait_for: z.strictObject({
    execution,
    since,
    until: z.union([types.min(1), z.enum(['end', 'idle'])]).default('end'),
    seconds: z.int().min(0).max(50).default(25),
  }),
  list_checkpoints: z.strictObject({ execution, skip }),
  diff_checkpoints: z.strictObject({
    execution,
    from: checkpoint,
    to: checkpoint.default('end'),
    path: z.string().min(1).max(4096).optional(),
    skip,
  }),
  read_file: z.strictObject({
    execution,
    checkpoint,
    path: z.string().min(1).max(4096).describe('relative to the workspace'),
    offset: z
      .int()
      .min(0)
      .default(0)
      .describe('characters to pass over: truncated.next of the answer before'),
  }),
  cost_report: z.strictObject({ execution }),
  list_models: z.strictObject({ filter: z.string().max(200).optional(), skip }),
  validate_hank: z.strictObject({ hank, data: data.optional(), model: model.optional() }),
  plan_hank: z.strictObject({ hank, data: data.optional(), model: model.optional() }),
  preview_rollback: z.strictObject({ execution, to: checkpoint.optional(), undo }),
  rehearse_hank: z.strictObject({
    hank,
    data: data.optional(),
    model: model.optional(),
    strict: z.boolean().default(false).describe('fail when the script does not fit exactly'),
    seconds: z.int().min(1).max(600).default(300),
  }),
  start_run: z.strictObject({
    hank,
    data: data.optional(),
    model: model.optional(),
    maxCost,
    startNew: z.boolean().default(false).describe('ignore earlier executions of this hank and data'),
  }),
  resume_run: z.strictObject({ execution, maxCost }),
  stop_run: z.strictObject({ execution, token: token.optional() }),
  steer_run: z.strictObject({
    execution,
    action: z.enum(['next', 'redo', 'skip', 'forceStop']),
    token: token.optional(),
  }),
  decide_gate: z.strictObject({
    execution,
    gate: z.string().max(100).optional().describe('only if it waits at this one'),
  }),
  rollback: z.strictObject({ execution, to: checkpoint, token: token.optional() }),
  undo_rollback: z.strictObject({ execution, token: token.optional() }),
} as const

export type Inputs = typeof inputs
