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
  const name = id.replace(unsafe, escaped)
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

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}
