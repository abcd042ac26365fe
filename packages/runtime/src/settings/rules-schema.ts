import * as z from 'zod'
import { sentinelConditions, sentinelTrigger } from '../hank/index.ts'

/** The shape of `rules` in `weave.json`. Takes long to set up: only `schema.ts` imports it. */

const rule = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/, 'expected 1 to 40 small letters, digits and hyphens')
      .describe('Its name.'),
    sentinel: z.string().min(1).optional().describe('A sentinel of the hank with `structuredOutput`.'),
    trigger: sentinelTrigger.optional().describe('Events, as for a sentinel.'),
    when: sentinelConditions
      .min(1)
      .optional()
      .describe('Conditions on what the sentinel said: its fields, `items.…` of a list, or `value`.'),
    codons: z.array(z.string().min(1)).min(1).optional().describe('Codons where it holds; otherwise all.'),
    times: z.int().min(1).max(100).optional().describe('So many hits; 1 unless said.'),
    withinSeconds: z.int().min(1).max(86_400).optional().describe('In this time; otherwise in a row.'),
    do: z
      .enum(['notify', 'hold', 'stop'])
      .describe('Tell somebody; wait before the next codon; stop this one and wait.'),
    message: z
      .string()
      .max(500)
      .refine(text => !text.includes('<%'), 'is said as it is: templates do not exist here')
      .optional()
      .describe('Why, for people.'),
    atMost: z.int().min(1).max(100).optional().describe('In one attempt at a codon; 1 unless said.'),
  })
  .superRefine((value, context) => {
    const { sentinel, trigger, when, times = 1 } = value
    const fault = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message })
    if ((sentinel === undefined) === (trigger === undefined))
      fault('trigger', 'A rule has exactly one of "sentinel" and "trigger"')
    if (sentinel !== undefined && when === undefined) fault('when', 'is needed with "sentinel"')
    if (sentinel === undefined && when !== undefined)
      fault('when', 'goes with "sentinel"; a trigger has conditions of its own')
    if (sentinel !== undefined && value.do === 'stop' && times < 2)
      fault('times', 'must be at least 2 for "stop" with "sentinel": a model may be wrong once')
  })

export const rules = z
  .array(rule)
  .max(100)
  .superRefine((list, context) => {
    for (const [index, { id }] of list.entries())
      if (list.findIndex(other => other.id === id) !== index)
        context.addIssue({ code: 'custom', path: [index, 'id'], message: `Two rules are called "${id}"` })
  })
  .describe('What follows when a sentinel said something, or a pattern of events was seen.')
