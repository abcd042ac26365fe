import { join } from 'node:path'
import * as z from 'zod'
import { readRegularFile, writeFileAtomic } from '../files/index.ts'
import type { Redactor } from '../kit/index.ts'
import type { ResolvedSettings } from '../settings/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

/** A setting as it was at the last start, with who set it; both fit to be shown. */
export interface RecordedSetting {
  readonly field: string
  /** As JSON. */
  readonly value: string
  readonly origin: string
}

/** Records the settings of this start, for reports. Nothing depends on it: a failed write is ignored. */
export async function recordSettings(
  layout: ExecutionLayout,
  { sources }: ResolvedSettings,
  redactor: Redactor,
): Promise<void> {
  const rows: readonly RecordedSetting[] = Object.entries(sources).map(([field, { value, origin }]) => ({
    field,
    value: JSON.stringify(value),
    origin,
  }))
  const text = `${JSON.stringify(redactor.json(rows), undefined, 2)}\n`
  await writeFileAtomic(recordFile(layout), text, { mode: 0o600 }).catch(() => undefined)
}

const recorded = z.array(z.object({ field: z.string(), value: z.string(), origin: z.string() }))

/** Nothing when there is no such record, or none that can be read. */
export async function readSettings(layout: ExecutionLayout): Promise<readonly RecordedSetting[]> {
  const read = await readRegularFile(recordFile(layout), { maxBytes: 1024 * 1024 })
  if (!read.ok) return []
  try {
    return recorded.parse(JSON.parse(read.bytes.toString('utf8')))
  } catch {
    return []
  }
}

function recordFile({ internals }: ExecutionLayout): string {
  return join(internals, 'settings.json')
}
