import * as z from 'zod'
import { gateIdOf } from './gate-setting.ts'

/** The shape of `gates` in `weave.json`. Takes long to set up: only `schema.ts` imports it. */

const redoFrom = z
  .strictObject({
    redoFrom: z.string().min(1).describe('A codon before the gate; from where it started all runs again.'),
    times: z.int().min(1).max(10).default(3).describe('How often; one more rejection stops the run.'),
  })
  .describe('Go back, run everything from there again, and ask anew.')

const gate = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/, 'expected 1 to 40 small letters, digits and hyphens')
      .optional()
      .describe('Its name; default: `before-<target>` or `after-<target>`.'),
    before: z
      .string()
      .min(1)
      .optional()
      .describe('A codon (every iteration), a runtime id such as `review#1`, or a loop (once).'),
    after: z.string().min(1).optional().describe('The same, for a gate after it.'),
    message: z.string().max(2_000).optional().describe('What the person should look at.'),
    show: z
      .array(z.string().min(1))
      .max(20)
      .optional()
      .describe('Patterns of files that are shown with the gate.'),
    timeoutSeconds: z
      .int()
      .min(60)
      .max(2_592_000)
      .optional()
      .describe('Nobody decided in this time: rejected. Absent: it waits for ever.'),
    onReject: z
      .union([z.literal('stop'), redoFrom])
      .optional()
      .describe('What a rejection does; default: the run stops.'),
    noteFile: z
      .string()
      .min(1)
      .optional()
      .describe('A file of the agent workspace to which the note of a decision is appended.'),
  })
  .superRefine((value, context) => {
    const places = [value.before, value.after].filter(place => place !== undefined).length
    if (places !== 1)
      context.addIssue({ code: 'custom', message: 'A gate has exactly one of "before" and "after"' })
  })

export const gates = z
  .array(gate)
  .max(100)
  .superRefine((list, context) => {
    const seen = new Set<string>()
    for (const [index, one] of list.entries()) {
      const id = gateIdOf(one)
      if (seen.has(id))
        context.addIssue({
          code: 'custom',
          path: [index, 'id'],
          message: `Two gates are called "${id}"; give one of them another id`,
        })
      seen.add(id)
    }
  })
  .describe('Points where the run waits for a person.')
