import { parcelFormat } from '../parcel/index.ts'

/** The format is in the name, so that an older worker never sees what it cannot read. */
export function queueNameOf(batch: string, pool: string): string {
  return `f${parcelFormat}.${pool}.${batch}`
}

/** The same of a row of `fleet.batch`, in SQL. */
export const queueNameInSql = (batch: string): string =>
  `'f' || ${batch}.format || '.' || ${batch}.pool || '.' || ${batch}.id`
