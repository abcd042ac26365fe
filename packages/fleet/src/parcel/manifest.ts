import { createHash } from 'node:crypto'
import * as z from 'zod'
import { FleetFault } from '../fault.ts'

export const parcelFormat = 1
export const manifestName = 'manifest.json'

const part = z.strictObject({
  path: z.string(),
  type: z.enum(['file', 'directory', 'link']),
  bytes: z.int().nonnegative(),
  sha256: z.string(),
  /** Where the bytes go on from; absent: they are the whole file. */
  from: z.int().positive().optional(),
  /** It is in the workspace, and in no checkpoint. */
  rest: z.literal(true).optional(),
})

export type ManifestPart = Readonly<z.infer<typeof part>>

/** TABLE of what the first entry of a parcel says. */
export const manifestShape = z.strictObject({
  format: z.literal(parcelFormat),
  executionId: z.string(),
  epoch: z.int().nonnegative(),
  seq: z.int().positive(),
  /** The parcel that this one goes on from; null: it is whole. */
  base: z.int().positive().nullable(),
  parts: z.array(part),
  gone: z.array(z.string()),
})

export type Manifest = Readonly<z.infer<typeof manifestShape>>

export function shaOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function refused(what: string): FleetFault {
  return new FleetFault('FLEET_PARCEL', {
    message: `A parcel is refused: ${what}.`,
    cure: 'Restore the store from a backup, or submit the execution again.',
  })
}
