/** What was last seen of a file, without reading it. */
export interface Seen {
  readonly size: number
  readonly ino: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  /** Of its content, when it had changed so shortly before that it may change again and look the same. */
  readonly sha256?: string | undefined
}

/** Every path of an execution that is in its newest parcels, and how it was when last looked at. */
export type KnownFiles = ReadonlyMap<string, Seen>

export interface FoundFile extends Seen {
  readonly path: string
  readonly type: 'file' | 'directory' | 'link'
  readonly executable: boolean
  /** Of the workspace, and in no checkpoint: the folder that stays behind with it when it is too much. */
  readonly rest?: string | undefined
}

/** How much later a change may be that bears the same time: the clock of a file system goes in steps. */
const coarseMs = 20

/** Whether a file may change after this moment and look the same. */
export function isRacy({ ctimeMs }: Seen, now: number): boolean {
  return ctimeMs >= now - coarseMs
}

/** `maybe`: it looks the same, and only its content tells. */
export function isSame(before: Seen | undefined, now: Seen): boolean | 'maybe' {
  if (!before) return false
  const looksSame =
    before.size === now.size &&
    before.ino === now.ino &&
    before.mtimeMs === now.mtimeMs &&
    before.ctimeMs === now.ctimeMs
  return looksSame && before.sha256 !== undefined ? 'maybe' : looksSame
}

/** This machine's own: locks, logs, indexes, caches that the next start makes anew, and the link to the data. */
const stays = [
  /^\.weave\/(?:lock|state\.json|fleet|logs(?:\/|$)|otel\.json)/,
  /^\.weave\/checkpoints\/(?:weave-index|weave-probes|known-)/,
  /^\.weave\/journal\/[^/]*\.(?:idx|index)$/,
  /^agentRoot\/read_only_data_source$/,
]

export function staysHere(path: string): boolean {
  return stays.some(pattern => pattern.test(path))
}

/** A file that only ever grows, so that what is new is enough. */
export function onlyGrows(path: string): boolean {
  return /^\.weave\/journal\/events-\d+\.jsonl$/.test(path)
}

/** An object of the checkpoints, named by its content. */
export function neverChanges(path: string): boolean {
  return /^\.weave\/checkpoints\/objects\/(?:[0-9a-f]{2}\/[0-9a-f]{38}|pack\/pack-[0-9a-f]{40}\.\w+)$/.test(
    path,
  )
}
