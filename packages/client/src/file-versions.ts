import type { EventData, ServerEvent } from '@weave/protocol'

/** How much text of changed files is kept. */
export const fileVersionCaps = { files: 200, characters: 4_000_000, charactersOfOne: 256_000 } as const

/** What the last codon that touched a file made of it. */
export interface FileVersion {
  readonly path: string
  /** The codon at work when it changed; empty before the first. */
  readonly codonId: string
  /** As that codon found it; undefined: not known, or too large to keep. */
  readonly before: string | undefined
  /** Undefined: the text did not come along, or is too large to keep. */
  readonly after: string | undefined
  readonly deleted: boolean
  readonly omitted?: NonNullable<EventData<'file.updated'>['omitted']>
}

/** The texts behind a view's list of changed files, for showing what changed. Never changed, bounded. */
export interface FileVersions {
  readonly codonId: string
  /** Changed last at the end. */
  readonly files: ReadonlyMap<string, FileVersion>
  readonly characters: number
}

export const noFileVersions: FileVersions = { codonId: '', files: new Map(), characters: 0 }

/** Pure, never throws. Most events change nothing and give back what was given. */
export function reduceFileVersions(versions: FileVersions, event: ServerEvent): FileVersions {
  if (event.type === 'codon.started') return { ...versions, codonId: event.data.codonId }
  return event.type === 'file.updated' ? withChange(versions, event.data) : versions
}

function withChange(versions: FileVersions, data: EventData<'file.updated'>): FileVersions {
  const { codonId } = versions
  const known = versions.files.get(data.path)
  const deleted = data.action === 'deleted'
  const version: FileVersion = {
    path: data.path,
    codonId,
    before: beforeOf(known, codonId, data),
    after: deleted ? '' : textOf(data),
    deleted,
    ...(data.omitted === undefined ? {} : { omitted: data.omitted }),
  }
  const files = new Map(versions.files)
  files.delete(data.path)
  files.set(data.path, version)
  return bounded({ codonId, files, characters: versions.characters - sizeOf(known) + sizeOf(version) })
}

/** A codon that touches a file again is measured from where it first found it. */
function beforeOf(
  known: FileVersion | undefined,
  codonId: string,
  { action }: EventData<'file.updated'>,
): string | undefined {
  if (!known) return action === 'created' ? '' : undefined
  return known.codonId === codonId ? known.before : known.after
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
