import type { EventData, ServerEvent } from '@weave/protocol'

/** How much text of changed files is kept. */
export const fileVersionCaps = { files: 200, characters: 4_000_000, charactersOfOne: 256_000 } as const

/** What the last codon that touched a file, or its rig, made of it. */
export interface FileVersion {
  readonly path: string
  /** The codon at work when it changed; empty before the first. */
  readonly codonId: string
  /** The rig of the codon made it so: it is in the checkpoint after the rig. */
  readonly byRig: boolean
  /** As that codon found it; undefined: not known, or too large to keep. */
  readonly before: string | undefined
  /** Undefined: the text did not come along, or is too large to keep. */
  readonly after: string | undefined
  readonly deleted: boolean
  readonly omitted?: NonNullable<EventData<'file.updated'>['omitted']>
}

/**
 * The texts behind a view's list of changed files, for showing what changed. Never changed, bounded.
 *
 * Whose a change is follows from the checkpoints: all that a checkpoint holds is emitted before it is recorded, so what came
 * since the codon began and before the checkpoint after its rig is the rig's, and the rest is the agent's.
 */
export interface FileVersions {
  readonly codonId: string
  /** Its agent has begun, so what changes now is no longer its rig's. */
  readonly isAfterRig: boolean
  /** Changed last at the end. */
  readonly files: ReadonlyMap<string, FileVersion>
  readonly characters: number
}

export const noFileVersions: FileVersions = {
  codonId: '',
  isAfterRig: true,
  files: new Map(),
  characters: 0,
}

/** Pure, never throws. Most events change nothing and give back what was given. */
export function reduceFileVersions(versions: FileVersions, event: ServerEvent): FileVersions {
  switch (event.type) {
    case 'state.transition':
      return withTransition(versions, event.data)
    case 'codon.started':
      return { ...versions, codonId: event.data.codonId, isAfterRig: true }
    case 'file.updated':
      return withChange(versions, event.data)
    default:
      return versions
  }
}

function withTransition(versions: FileVersions, data: EventData<'state.transition'>): FileVersions {
  const { transitionType, codonId } = data
  if (codonId === undefined) return versions
  if (transitionType === 'CodonStarted') return { ...versions, codonId, isAfterRig: false }
  // Also the checkpoint of a codon whose rig failed, so that no agent began.
  if (transitionType !== 'CheckpointCreated' || versions.codonId !== codonId || versions.isAfterRig)
    return versions
  const files = new Map(
    [...versions.files].map(([path, version]) => [
      path,
      version.codonId === codonId ? { ...version, byRig: true } : version,
    ]),
  )
  return { ...versions, files, isAfterRig: true }
}

function withChange(versions: FileVersions, data: EventData<'file.updated'>): FileVersions {
  const { codonId } = versions
  const known = versions.files.get(data.path)
  const deleted = data.action === 'deleted'
  const version: FileVersion = {
    path: data.path,
    codonId,
    byRig: false,
    before: beforeOf(known, codonId, data),
    after: deleted ? '' : textOf(data),
    deleted,
    ...(data.omitted === undefined ? {} : { omitted: data.omitted }),
  }
  const files = new Map(versions.files)
  files.delete(data.path)
  files.set(data.path, version)
  return bounded({
    ...versions,
    files,
    characters: versions.characters - sizeOf(known) + sizeOf(version),
  })
}

/** A codon that touches a file again is measured from where it first found it, which is after its rig. */
function beforeOf(
  known: FileVersion | undefined,
  codonId: string,
  { action }: EventData<'file.updated'>,
): string | undefined {
  if (!known) return action === 'created' ? '' : undefined
  return known.codonId === codonId && !known.byRig ? known.before : known.after
}

function textOf({ content, omitted }: EventData<'file.updated'>): string | undefined {
  return omitted !== undefined || content.length > fileVersionCaps.charactersOfOne ? undefined : content
}

function bounded(versions: FileVersions): FileVersions {
  const { files } = versions
  let { characters } = versions
  const kept = new Map(files)
  for (const [path, version] of files) {
    const fits = kept.size <= fileVersionCaps.files && characters <= fileVersionCaps.characters
    if (fits || kept.size === 1) break
    kept.delete(path)
    characters -= sizeOf(version)
  }
  return { ...versions, files: kept, characters }
}

function sizeOf(version: FileVersion | undefined): number {
  return (version?.before?.length ?? 0) + (version?.after?.length ?? 0)
}
