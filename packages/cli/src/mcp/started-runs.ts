import type { ExecutionLayout } from '@weave/runtime'

export type StartedKind = 'rehearsal' | 'run'

/** So many at once, of those that this server has started. */
export const mostAtOnce: Readonly<Record<StartedKind, number>> = { rehearsal: 2, run: 4 }

export type StartedRuns = ReturnType<typeof createStartedRuns>

/** The runs that this server has started. They are not its own: they go on when it has gone. */
export function createStartedRuns(isLive: (layout: ExecutionLayout) => Promise<boolean>) {
  const started: { readonly kind: StartedKind; readonly layout: ExecutionLayout }[] = []
  const starting: Record<StartedKind, number> = { rehearsal: 0, run: 0 }
  return {
    add: (kind: StartedKind, layout: ExecutionLayout): void => void started.push({ kind, layout }),
    /** Undefined: there are as many as there may be. Otherwise call it when the start is over. */
    async claim(kind: StartedKind): Promise<(() => void) | undefined> {
      // Counted before anything is awaited: two calls at once must not both take the last place.
      starting[kind]++
      const own = started.filter(each => each.kind === kind)
      const live = (await Promise.all(own.map(({ layout }) => isLive(layout)))).filter(Boolean).length
      const release = (): void => void starting[kind]--
      if (live + starting[kind] <= mostAtOnce[kind]) return release
      release()
      return undefined
    },
  }
}
