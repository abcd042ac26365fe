import { type ReadFailure, readRegularFile } from './open-regular.ts'

/** What an editor holds of a file and has not saved, by its absolute path; undefined: as it is on the disk. */
export type Overlay = (path: string) => string | undefined

export interface OverlaidOptions {
  readonly maxBytes: number
  readonly overlay?: Overlay | undefined
}

export type OverlaidRead =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly reason: ReadFailure; readonly code?: string; readonly message: string }

/** Reads a file as `readRegularFile` does, but an unsaved text in its place counts. The one place that asks for one. */
export async function readOverlaid(
  path: string,
  { maxBytes, overlay }: OverlaidOptions,
): Promise<OverlaidRead> {
  const text = overlay?.(path)
  if (text === undefined) return readRegularFile(path, { maxBytes })
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return { ok: true, bytes }
  return { ok: false, reason: 'too-large', message: `${path} is larger than ${maxBytes} bytes` }
}
