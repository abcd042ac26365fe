import type { Engine, Tables } from '../engine/index.ts'

/** The limits of one provider, or of one of its models, for the whole fleet. */
export interface ProviderLimits {
  readonly key: string
  /** Codons at once. */
  readonly running: number | null
  readonly rpm: number | null
  readonly tpm: number | null
  /** Requests a minute at the moment. */
  readonly limitNow: number | null
  /** Seconds until somebody may send again. */
  readonly blockedSeconds: number
  readonly refusals: number
}

export async function listThrottles({ database }: Tables): Promise<readonly ProviderLimits[]> {
  return database.query<ProviderLimits>(
    `select key, running, rpm, tpm, limit_now as "limitNow", refusals::int as refusals,
       ceil(greatest(extract(epoch from greatest(blocked_until, clock_timestamp()) - clock_timestamp()), 0))::int as "blockedSeconds"
     from fleet.throttle order by key`,
  )
}

export interface ThrottleWish extends Pick<ProviderLimits, 'key'> {
  readonly running?: number | undefined
  readonly rpm?: number | undefined
  readonly tpm?: number | undefined
  readonly by?: string | undefined
}

/** What is left out has no limit. */
export async function setThrottle({ database }: Engine, wish: ThrottleWish): Promise<void> {
  const { key, running = null, rpm = null, tpm = null, by = null } = wish
  await database.query('select fleet.set_throttle($1, $2, $3, $4, $5)', [key, running, rpm, tpm, by])
}
