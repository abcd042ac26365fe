/** The little of the tar format that parcels need: files, folders and links, with names of any length. Pure. */

/** All of an entry but its content. */
export interface TarHead {
  readonly path: string
  readonly type: 'file' | 'directory' | 'link'
  readonly executable: boolean
  /** Of a link: where it leads. */
  readonly target?: string | undefined
  /** When its content was changed, for who builds what is older than its source. */
  readonly mtimeMs?: number | undefined
}

export interface TarEntry extends TarHead {
  readonly bytes: Buffer
}

const block = 512
const types = { file: '0', link: '2', directory: '5' } as const

export function packTar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(entry => [
    tarHead(entry, entry.bytes.length),
    entry.bytes,
    tarPadding(entry.bytes.length),
  ])
  return Buffer.concat([...blocks, tarEnd])
}

/** What stands before the content of an entry. */
export function tarHead({ path, target, type, executable, mtimeMs }: TarHead, size: number): Buffer {
  // Every entry says its names in an extended header: that has no limit and no trouble with letters.
  const extended = Buffer.from(
    record('path', path) +
      (target === undefined ? '' : record('linkpath', target)) +
      (mtimeMs === undefined ? '' : record('mtime', (mtimeMs / 1000).toFixed(6))),
  )
  const mode = executable || type === 'directory' ? 0o755 : 0o644
  return Buffer.concat([
    header({ name: 'extended', type: 'x', size: extended.length, mode: 0o644 }),
    extended,
    tarPadding(extended.length),
    header({ name: 'entry', type: types[type], size, mode }),
  ])
}

/** What stands behind a content of this size. */
export function tarPadding(size: number): Buffer {
  return zeros.subarray(0, (block - (size % block)) % block)
}

const zeros = Buffer.alloc(block)
export const tarEnd = Buffer.alloc(2 * block)

/** Throws for anything that `packTar` does not write. */
export function* unpackTar(bytes: Buffer): Generator<TarEntry> {
  let names: ReadonlyMap<string, string> = new Map()
  for (let at = 0; at + block <= bytes.length; ) {
    const head = bytes.subarray(at, at + block)
    if (head.every(byte => byte === 0)) return
    if (checksumOf(head) !== number(head, 148, 8)) throw new Error('a header does not match its checksum')
    const size = number(head, 124, 12)
    const content = bytes.subarray(at + block, at + block + size)
    if (content.length !== size) throw new Error('it is cut short')
    at += block + Math.ceil(size / block) * block
    const flag = String.fromCharCode(head[156] ?? 0)
    if (flag === 'x') {
      names = recordsIn(content)
      continue
    }
    const type = (['file', 'link', 'directory'] as const).find(each => types[each] === flag)
    const path = names.get('path')
    if (!type || path === undefined) throw new Error('an entry is of no kind that is known')
    const executable = type === 'file' && (number(head, 100, 8) & 0o100) !== 0
    const mtimeMs = names.has('mtime') ? Number(names.get('mtime')) * 1000 : undefined
    yield { path, type, executable, target: names.get('linkpath'), mtimeMs, bytes: content }
    names = new Map()
  }
  throw new Error('it has no end')
}

interface Header {
  readonly name: string
  readonly type: string
  readonly size: number
  readonly mode: number
}

function header({ name, type, size, mode }: Header): Buffer {
  const head = Buffer.alloc(block)
  head.write(name, 0)
  head.write(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100)
  head.write(`${octal(size, 11)}\0${octal(0, 11)}\0`, 124)
  head.write(`${type}`, 156)
  head.write('ustar\0' + '00', 257)
  head.write(`${octal(checksumOf(head), 6)}\0 `, 148)
  return head
}

/** With its own field read as blanks. */
function checksumOf(head: Buffer): number {
  let sum = 8 * 32
  for (let at = 0; at < block; at++) if (at < 148 || at >= 156) sum += head[at] ?? 0
  return sum
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}

function number(head: Buffer, at: number, length: number): number {
  const text = head.toString('latin1', at, at + length).replace(/[\0 ]+$/, '')
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : -1
}

/** `length key=value\n`, where the length counts itself. */
function record(key: string, value: string): string {
  const body = Buffer.byteLength(` ${key}=${value}\n`)
  let length = body + String(body).length
  if (String(length).length > String(body).length) length = body + String(length).length
  return `${length} ${key}=${value}\n`
}

function recordsIn(content: Buffer): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (let at = 0; at < content.length; ) {
    const blank = content.indexOf(0x20, at)
    const length = Number(content.toString('latin1', at, blank))
    if (blank === -1 || !(length > 0) || at + length > content.length)
      throw new Error('a name cannot be read')
    const text = content.toString('utf8', blank + 1, at + length - 1)
    const sign = text.indexOf('=')
    found.set(text.slice(0, sign), text.slice(sign + 1))
    at += length
  }
  return found
}
