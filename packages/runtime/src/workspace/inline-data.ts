import { createHash } from 'node:crypto'
import { type FileHandle, open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createFlags, digestOf, ensureDir, openRegular, wordsOf } from '../files/index.ts'
import { createId, type Result } from '../kit/index.ts'

export interface InlineDataOptions {
  readonly home: string
  readonly maxBytes?: number
}

export type InlineDataResult = Result<{ readonly path: string; readonly bytes: number }>

const oneGiB = 1024 ** 3

/**
 * Keeps data that has no file of its own, from stdin or `--input`, under `<home>/.weave/inputs/`, and gives its path.
 *
 * The name is the SHA-256 of the content: the same text again is the same file, with its old time, so that a second
 * start finds the execution of the first. Text gets the ending `.txt`. Directories are 0700 and files 0600 from birth; a
 * file never has its name before it is complete. Never rejects because of the disk, the size or the stream.
 */
export async function storeInlineData(
  content: string | AsyncIterable<Uint8Array>,
  { home, maxBytes = oneGiB }: InlineDataOptions,
): Promise<InlineDataResult> {
  const dir = join(home, '.weave', 'inputs')
  const draft = join(dir, `.${createId('input')}`)
  try {
    await ensureDir(dir)
    const stored = await writeDraft(draft, typeof content === 'string' ? once(content) : content, maxBytes)
    if (!stored) {
      const message = `the data is larger than ${maxBytes} bytes; put it into a file and name that`
      return { ok: false, message }
    }
    const path = join(dir, `${stored.sha256}${stored.isText ? '.txt' : ''}`)
    if (!(await holds(path, stored.sha256))) await rename(draft, path)
    return { ok: true, path, bytes: stored.bytes }
  } catch (error) {
    return { ok: false, message: `the data cannot be kept in ${dir}: ${wordsOf(error)}` }
  } finally {
    await unlink(draft).catch(() => undefined)
  }
}

interface Stored {
  readonly sha256: string
  readonly bytes: number
  readonly isText: boolean
}

/** Nothing when there is too much. */
async function writeDraft(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Stored | undefined> {
  const hash = createHash('sha256')
  const text = textDetector()
  let bytes = 0
  let file: FileHandle | undefined
  try {
    file = await open(path, createFlags, 0o600)
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > maxBytes) return undefined
      hash.update(chunk)
      text.take(chunk)
      await file.writeFile(chunk)
    }
    await file.sync()
    return { sha256: hash.digest('hex'), bytes, isText: text.isText() }
  } finally {
    await file?.close()
  }
}

/** UTF-8 without NUL characters, also when a character is cut by the border of two chunks. */
function textDetector() {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let good = true
  const decode = (chunk?: Uint8Array): void => {
    try {
      good &&= !decoder.decode(chunk, { stream: chunk !== undefined }).includes('\0')
    } catch {
      good = false
    }
  }
  return {
    take: decode,
    isText(): boolean {
      decode()
      return good
    },
  }
}

async function holds(path: string, sha256: string): Promise<boolean> {
  try {
    const source = await openRegular(path)
    try {
      return (await digestOf(source)) === sha256
    } finally {
      await source.file.close()
    }
  } catch {
    return false
  }
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
