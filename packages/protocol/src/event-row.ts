import * as z from 'zod'

/**
 * One event of the tables of events, and what their rows are made of.
 *
 * `delivery` says which road an event may take: `journal` (written, then sent to everyone), `direct` (sent, never
 * written), `either` (`error`: direct when it answers one command, otherwise journaled).
 * `durability` says when a journaled event may be sent: `synced` after it is safe against power loss, `grouped` after
 * it is written (the sync follows within 100 ms).
 */
export interface EventRow {
  readonly category: EventCategory
  readonly delivery: 'journal' | 'direct' | 'either'
  readonly durability: 'synced' | 'grouped'
  readonly summary: string
  readonly data: z.ZodType<object>
}

export type EventCategory = 'server-state' | 'rollback' | 'agentic' | 'sentinel' | 'connection' | 'extension'

export const text = z.string()
export const count = z.int().nonnegative()
export const codonId = text.describe('runtime id')

export function journal<C extends EventCategory, D extends z.ZodType<object>>(
  category: C,
  summary: string,
  data: D,
) {
  return { category, delivery: 'journal', durability: 'grouped', summary, data } as const
}

export function synced<C extends EventCategory, D extends z.ZodType<object>>(
  category: C,
  summary: string,
  data: D,
) {
  return { category, delivery: 'journal', durability: 'synced', summary, data } as const
}

export function either<C extends EventCategory, D extends z.ZodType<object>>(
  category: C,
  summary: string,
  data: D,
) {
  return { category, delivery: 'either', durability: 'grouped', summary, data } as const
}

export function direct<C extends EventCategory, D extends z.ZodType<object>>(
  category: C,
  summary: string,
  data: D,
) {
  return { category, delivery: 'direct', durability: 'grouped', summary, data } as const
}

export function extension<D extends z.ZodType<object>>(
  summary: string,
  data: D,
  durability: EventRow['durability'] = 'grouped',
) {
  return { category: 'extension', delivery: 'journal', durability, summary, data } as const
}
