/** A gate as a person writes it, in `weave.json` or behind `--gate`. */
export interface GateSetting {
  readonly id?: string | undefined
  readonly before?: string | undefined
  readonly after?: string | undefined
  readonly message?: string | undefined
  readonly show?: readonly string[] | undefined
  readonly timeoutSeconds?: number | undefined
  readonly onReject?: 'stop' | { readonly redoFrom: string; readonly times?: number | undefined } | undefined
  readonly noteFile?: string | undefined
}

/** Its own name, or the one that follows from where it stands. */
export function gateIdOf({ id, before, after }: GateSetting): string {
  if (id !== undefined) return id
  const place = before === undefined ? `after-${after ?? ''}` : `before-${before}`
  return place
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .slice(0, 40)
}
