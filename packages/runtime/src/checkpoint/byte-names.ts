/**
 * A file's name is bytes, in git and on most systems; here it is a string. Bytes that are no text stand in it as lone
 * surrogates (byte 0xE9 is U+DCE9), which text never holds, so every name comes back as it was.
 */
export function nameOfBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    return escaped(bytes)
  }
}

export function bytesOfName(name: string): Buffer {
  if (!escapes.test(name)) return Buffer.from(name)
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

/** What the file functions of Node take for an entry of a directory. */
export function pathOf(directory: string, name: string): string | Buffer {
  return escapes.test(name)
    ? Buffer.concat([Buffer.from(`${directory}/`), bytesOfName(name)])
    : `${directory}/${name}`
}

/** Splits what git prints with `-z`. */
export function splitAtNul(bytes: Buffer): readonly string[] {
  if (bytes.length === 0) return []
  const text = bytes.toString()
  if (!text.includes(replacement)) return text.slice(0, -1).split('\0')
  const parts: string[] = []
  for (let from = 0; from < bytes.length; ) {
    const to = bytes.indexOf(0, from)
    const end = to === -1 ? bytes.length : to
    parts.push(nameOfBytes(bytes.subarray(from, end)))
    from = end + 1
  }
  return parts
}

/** In a decoded name: some byte may not have been text. */
export const replacement = '\uFFFD'

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const escapes = /[\uDC80-\uDCFF]/u
const escapeBase = 0xdc00
const plain = /^[\0-\x7F]*$/

function escaped(bytes: Uint8Array): string {
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
