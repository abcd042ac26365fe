import { type FindOptions, findFiles, innerPath, workspace } from './find-files.ts'
import {
  type FoundFile,
  isRacy,
  isSame,
  type KnownFiles,
  neverChanges,
  onlyGrows,
  type Seen,
} from './known-files.ts'
import { type Manifest, type ManifestPart, manifestName, parcelFormat } from './manifest.ts'
import { type Content, openContent } from './read-content.ts'
import { fitRest, type LeftBehind, type RestLimits } from './rest.ts'
import { createTarball } from './tarball.ts'

/** What moves of the files of a workspace that are in no checkpoint. */
export interface RestRules extends Pick<FindOptions, 'selection' | 'excludes'> {
  readonly limits: RestLimits
}

export interface ParcelWish extends Pick<Manifest, 'executionId' | 'epoch' | 'seq'> {
  /** The execution directory, in which nothing works now but the journal. */
  readonly root: string
  /** What the parcel before held; absent: everything goes in. */
  readonly since?: { readonly seq: number; readonly files: KnownFiles } | undefined
  /** Absent: all of the workspace moves. */
  readonly rest?: RestRules | undefined
}

export interface Parcel {
  readonly bytes: Buffer
  readonly files: KnownFiles
  /** What does not move and should, the largest first. */
  readonly left: readonly LeftBehind[]
  /** Something of the workspace is not in it: left, or excluded on purpose. */
  readonly isPartial: boolean
}

const unlimited: RestLimits = { bytes: Number.POSITIVE_INFINITY, files: Number.POSITIVE_INFINITY }

/** What changed in an execution since the parcel before, in one object. */
export async function makeParcel({ root, since, rest, ...head }: ParcelWish): Promise<Parcel> {
  const now = Date.now()
  const { limits = unlimited, ...rules } = rest ?? {}
  const found = await findFiles(root, { ...rules, before: since?.files })
  const fitted = fitRest(found, limits)
  const packing = new Packing(root, { before: since?.files, now })
  try {
    for (const file of fitted.files) await packing.take(file)
    const left = [...fitted.left, ...packing.closed]
    return {
      bytes: await packing.finish({ ...head, base: since?.seq ?? null }),
      files: packing.files,
      left,
      isPartial: left.length > 0 || found.hasExcluded,
    }
  } finally {
    packing.discard()
  }
}

class Packing {
  readonly files = new Map<string, Seen>()
  readonly closed: LeftBehind[] = []
  readonly discard: () => void
  readonly #root: string
  readonly #before: KnownFiles
  readonly #now: number
  readonly #tarball = createTarball()
  readonly #parts: ManifestPart[] = []

  constructor(
    root: string,
    { before, now }: { readonly before?: KnownFiles | undefined; readonly now: number },
  ) {
    this.#root = root
    this.#before = before ?? new Map()
    this.#now = now
    this.discard = () => void this.#tarball.discard()
  }

  async take(file: FoundFile): Promise<void> {
    const { path, size } = file
    const before = this.#before.get(path)
    const same = isSame(before, file)
    if (before && (same === true || (same === 'maybe' && this.#hasSameContent(file, before)))) {
      this.files.set(path, same === 'maybe' ? this.#seen(file, before.sha256) : before)
      return
    }
    const from = before && onlyGrows(path) && before.size < size ? before.size : 0
    const content = openContent(this.#root, file, from)
    if (content === 'gone') return
    if (content === 'closed') this.#leave(file)
    else await this.#add(file, content, from)
  }

  /** Without what is not the agent's it would be no execution. */
  #leave({ path, size }: FoundFile): void {
    if (!path.startsWith(`${workspace}/`)) throw new Error(`${path} cannot be read`)
    this.closed.push({ path: innerPath(path), bytes: size })
  }

  async #add(file: FoundFile, content: Content, from: number): Promise<void> {
    const { path, type, executable, mtimeMs, rest } = file
    const { target, size } = content
    try {
      const head = { path, type, executable, target, ...(type === 'file' && { mtimeMs }) }
      await this.#tarball.add(head, content)
    } finally {
      content.close()
    }
    const sha256 = content.sha256()
    this.#parts.push({
      path,
      type,
      bytes: target === undefined ? size : Buffer.byteLength(target),
      sha256,
      ...(from > 0 && { from }),
      ...(rest !== undefined && { rest: true }),
    })
    this.files.set(path, this.#seen(file, sha256))
  }

  #seen(file: FoundFile, sha256: string | undefined): Seen {
    const { path, type, size, ino, mtimeMs, ctimeMs } = file
    const isSure = type === 'directory' || onlyGrows(path) || neverChanges(path) || !isRacy(file, this.#now)
    return { size, ino, mtimeMs, ctimeMs, ...(!isSure && { sha256 }) }
  }

  #hasSameContent(file: FoundFile, { sha256 }: Seen): boolean {
    const content = openContent(this.#root, file, 0)
    if (typeof content === 'string') return false
    try {
      for (const _ of content.pieces);
      return content.sha256() === sha256
    } finally {
      content.close()
    }
  }

  async finish(head: Pick<Manifest, 'executionId' | 'epoch' | 'seq' | 'base'>): Promise<Buffer> {
    const gone = [...this.#before.keys()].filter(path => !this.files.has(path))
    const manifest: Manifest = { format: parcelFormat, ...head, parts: this.#parts, gone }
    const bytes = Buffer.from(JSON.stringify(manifest))
    return this.#tarball.finish({ path: manifestName, type: 'file', executable: false, bytes })
  }
}
