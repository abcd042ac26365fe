import { createHash } from 'node:crypto'

/** Room for an ending and a counter within the 255 bytes that most file systems allow. */
const longestName = 160

/**
 * An id as the name of one file: ids in a hank are any text, `../..` and 10,000 characters included.
 *
 * Plain ids stay as they are. What could leave the directory, hide the file or be refused by some system is written as
 * `%xx`, so two ids never share a name; a name that is too long ends in a digest of the whole.
 */
export function fileNameOf(id: string): string {
  const name = id.replace(unsafe, percentEscaped)
  if (name === '') return '%'
  if (Buffer.byteLength(name) <= longestName) return name
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 16)
  return `${cutToBytes(name, longestName - digest.length - 1)}-${digest}`
}

/** The longest start of a text that has at most so many bytes, never half a character. */
export function cutToBytes(text: string, bytes: number): string {
  let kept = ''
  let left = bytes
  for (const character of text) {
    left -= Buffer.byteLength(character)
    if (left < 0) break
    kept += character
  }
  return kept
}

const unsafe = /[\u0000-\u001f\u007f%/\\:*?"<>|\p{Surrogate}]|^\.|[. ]$/gu

function percentEscaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}

/**
 * A file's name is bytes, in git and on most systems; here it is a string. Bytes that are no UTF-8 stand in it as lone
 * surrogates (byte 0xE9 is U+DCE9), which text never holds, so every name comes back as it was.
 */
export function nameOfBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    return surrogateEscaped(bytes)
  }
}

export function bytesOfName(name: string): Buffer {
  if (isTextName(name)) return Buffer.from(name)
  const parts = name.split(/([\uDC80-\uDCFF])/u)
  return Buffer.concat(
    parts.map((part, index) =>
      index % 2 === 0 ? Buffer.from(part) : Buffer.from([part.charCodeAt(0) - escapeBase]),
    ),
  )
}

/** One character per byte: compares, with `<`, as git compares names. */
export function binaryOfName(name: string): string {
  return plain.test(name) ? name : bytesOfName(name).toString('latin1')
}

/** Whether all bytes of a name, or path, are UTF-8. */
export function isTextName(name: string): boolean {
  return !escapes.test(name)
}

/** What the file functions of Node take for an entry of a directory. */
export function entryOf(directory: string, name: string): string | Buffer {
  return isTextName(name)
    ? `${directory}/${name}`
    : Buffer.concat([Buffer.from(`${directory}/`), bytesOfName(name)])
}

/** In a name that Node decoded: some byte may not have been UTF-8. */
export const replacementCharacter = '\uFFFD'

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const escapes = /[\uDC80-\uDCFF]/u
const escapeBase = 0xdc00
const plain = /^[\0-\x7F]*$/

function surrogateEscaped(bytes: Uint8Array): string {
  let name = ''
  for (let at = 0; at < bytes.length; ) {
    const character = characterAt(bytes, at)
    name += character?.text ?? String.fromCharCode(escapeBase + (bytes[at] ?? 0))
    at += character?.length ?? 1
  }
  return name
}

function characterAt(
  bytes: Uint8Array,
  at: number,
): { readonly text: string; readonly length: number } | undefined {
  const lead = bytes[at] ?? 0
  const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  try {
    return { text: strict.decode(bytes.subarray(at, at + length)), length }
  } catch {
    return undefined
  }
}

/** A path below a root, with `/`, as its names; '' is the root and has none. */
export function namesOf(path: string): readonly string[] {
  return path === '' ? [] : path.split('/')
}

export function splitPath(path: string): { readonly parent: string; readonly name: string } {
  const cut = path.lastIndexOf('/')
  return { parent: cut === -1 ? '' : path.slice(0, cut), name: path.slice(cut + 1) }
}

/** The directories above these paths, without the root; each once, and each after those above it. */
export function ancestorsOf(paths: Iterable<string>): readonly string[] {
  const known = new Set<string>()
  for (const path of paths) {
    for (let cut = path.indexOf('/'); cut !== -1; cut = path.indexOf('/', cut + 1))
      known.add(path.slice(0, cut))
  }
  return [...known].sort()
}

/** The same with the root, as names. */
export function everyDirectory(paths: Iterable<string>): readonly (readonly string[])[] {
  return ['', ...ancestorsOf(paths)].map(namesOf)
}
