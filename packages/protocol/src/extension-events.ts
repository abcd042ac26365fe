import * as z from 'zod'
import { codonId, count, direct, type EventRow, extension, text } from './event-row.ts'
import { fleetEvents } from './fleet-events.ts'
import { gateEvents } from './gates.ts'
import { startedFrom } from './state.ts'
import { budgetBreach, dollars, failureReason, isoTime, milliseconds } from './values.ts'

const map = z.record(text, z.unknown())
const outlineCodon = z.object({ id: text, name: text, model: text })

/** TABLE of the events beyond the protocol's own, for clients that ask for them. */
export const extensionEvents = {
  'run.started': extension(
    'A run begins; `outline` lists the items of the plan.',
    z.object({
      runId: text,
      startTime: isoTime,
      gitBranch: text,
      startedFrom,
      hankName: text,
      outline: z.array(
        z.union([
          outlineCodon,
          z.object({ id: text, name: text, limit: z.int().nullable(), codons: z.array(outlineCodon) }),
        ]),
      ),
      rehearsal: z.boolean().optional(),
    }),
  ),
  'run.completed': extension(
    'A run ended: what it did and what it cost, per codon budget against use.',
    z.object({
      runId: text,
      status: z.enum(['completed', 'failed', 'stopped']),
      reason: text.optional(),
      totalCost: dollars,
      costUnknown: z.literal(true).optional(),
      duration: milliseconds,
      codons: z.array(
        z.object({
          codonId,
          codonName: text,
          status: text,
          attempts: z.int().min(1),
          cost: dollars,
          duration: milliseconds,
          budget: z
            .array(z.object({ currency: text, limit: z.number(), used: z.number(), source: text }))
            .optional(),
          budgetExceeded: budgetBreach.optional(),
        }),
      ),
    }),
    'synced',
  ),
  'rig.output': extension(
    'Output of a rig command as it runs, or of a command that checks outputs before they are copied.',
    z.object({
      codonId,
      operation: count,
      stream: z.enum(['stdout', 'stderr']),
      text,
      check: z
        .literal(true)
        .optional()
        .register(z.globalRegistry, { description: 'The command stands in `outputFiles`, not in the rig' }),
    }),
  ),
  'rig.operation': extension(
    'One operation of a rig ended.',
    z.object({
      codonId,
      operation: count,
      type: z.enum(['copy', 'command']),
      ok: z.boolean(),
      durationMs: milliseconds,
      exitCode: z.int().optional(),
    }),
  ),
  'loop.iteration.completed': extension(
    'One iteration of a loop ended.',
    z.object({ loopId: text, iteration: count, cost: dollars, duration: milliseconds, last: z.boolean() }),
  ),
  'codon.extended': extension(
    'A codon with `exhaustWithPrompt` goes on.',
    z.object({ codonId, extension: z.int().min(1), maxExtensions: z.int().min(1) }),
  ),
  'codon.retrying': extension(
    'A failed codon is tried again after a delay.',
    z.object({
      codonId,
      attempt: z.int().min(1).register(z.globalRegistry, { description: 'the attempt that will run' }),
      maxAttempts: z.int().min(1),
      delayMs: milliseconds,
      resumeAt: isoTime,
      failureReason,
    }),
  ),
  'run.parked': extension(
    'A provider asked for a wait over 60 s; the run sleeps until then.',
    z.object({ codonId, until: isoTime, reason: text }),
  ),
  'archive.completed': extension(
    'Files of `archiveOnSuccess` were moved to the archive.',
    z.object({ ownerId: text.describe('runtime id or loop id'), files: z.array(text) }),
  ),
  'outputs.copied': extension(
    'Files of `outputFiles` were copied to the output directory; should the codon fail yet, they are taken back.',
    z.object({ codonId, directory: text, files: z.array(text).describe('relative to the directory') }),
  ),
  'budget.exceeded': extension(
    'A limit was reached.',
    budgetBreach.extend({
      codonId: codonId.optional(),
      onExceeded: z.enum(['complete', 'fail']),
      share: z
        .union([z.number(), z.literal('rest')])
        .optional()
        .register(z.globalRegistry, {
          description:
            'The limit is a share of the scope: so many percent, or of the rest that the shares of others leave',
        }),
    }),
    'synced',
  ),
  'events.selected': direct(
    'extension',
    'Answers `events.select`: what is selected holds for all events after `lastSeq`.',
    z.object({ lastSeq: count }),
  ),
  'run.activity': direct(
    'extension',
    'What the run does right now that takes long, about once a second; `over` when it is done. Never written.',
    z.object({
      phase: z.enum(['rig', 'outputs', 'checkpoint', 'restore', 'pack']),
      codonId: codonId.optional(),
      text,
      done: count.optional(),
      total: count.optional(),
      over: z.literal(true).optional(),
    }),
  ),
  'preflight.result': extension(
    'What the checks before a run found; carries the frozen plan when an execution is created.',
    z.object({
      ok: z.boolean(),
      problems: z.array(z.object({ severity: z.enum(['error', 'warning']), where: text, message: text })),
      plan: map.optional(),
    }),
    'synced',
  ),
  ...gateEvents,
  ...fleetEvents,
} as const satisfies Record<string, EventRow>
