import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { FoundFile } from './known-files.ts'
import { shaOf } from './manifest.ts'

/** The content of a file, or of as much as was seen of one that grows. */
export interface Content {
  readonly size: number
  readonly target?: string | undefined
  /** To be gone through once, to its end. Throws when the file has changed meanwhile. */
  readonly pieces: Iterable<Buffer>
  /** Of the pieces, once they were gone through. */
  sha256(): string
  close(): void
}

/** `gone`: nothing is there any more. `closed`: it may not be read. */
export type Opened = Content | 'gone' | 'closed'

const pieceBytes = 1024 ** 2
// Neither through a link that took its place, nor waiting for who writes into a pipe.
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** What is read of the file begins at `from`. Rejects only for what no other try mends. */
export function openContent(root: string, file: FoundFile, from: number): Opened {
  try {
    if (file.type === 'directory') return held(Buffer.alloc(0))
    if (file.type === 'link') return linkTo(readlinkSync(join(root, file.path)))
    return openFile(join(root, file.path), file, from)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EINVAL' || code === 'ELOOP') return 'gone'
    if (code === 'EACCES' || code === 'EPERM') return 'closed'
    throw error
  }
}

function held(bytes: Buffer): Content {
  return { size: bytes.length, pieces: [bytes], sha256: () => shaOf(bytes), close: () => undefined }
}

function linkTo(target: string): Content {
  return { ...held(Buffer.alloc(0)), target, sha256: () => shaOf(Buffer.from(target)) }
}

function openFile(path: string, { size }: FoundFile, from: number): Content | 'gone' {
  const fd = openSync(path, readFlags)
  if (!fstatSync(fd).isFile()) {
    closeSync(fd)
    return 'gone'
  }
  const hash = createHash('sha256')
  function* pieces(): Generator<Buffer> {
    for (let at = from; at < size; ) {
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, size - at))
      const read = readSync(fd, piece, 0, piece.length, at)
      if (read === 0) throw new Error(`${path} became shorter while it was read`)
      at += read
      hash.update(piece.subarray(0, read))
      yield piece.subarray(0, read)
    }
  }
  return {
    size: size - from,
    pieces: pieces(),
    sha256: () => hash.digest('hex'),
    close: () => closeSync(fd),
  }
}
