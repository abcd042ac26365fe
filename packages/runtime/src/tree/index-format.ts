import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { binaryOfName, nameOfBytes } from '../files/index.ts'
import { binaryId, parseGitMode } from './git-objects.ts'
import {
  createDirectory,
  ensureDirectory,
  type KnownDirectory,
  type KnownFile,
  setFile,
} from './known-tree.ts'
import type { StatKey } from './stat-key.ts'

/**
 * What is known of the workspace as an index file of git (version 2): git can tell from it which files have changed
 * since, and after a restart we need not read them all again. Files that git could take for unchanged although they are
 * not, since it compares whole seconds, have no times in it: they seem changed.
 */
export async function encodeIndexFile(root: KnownDirectory, now: number): Promise<Buffer> {
  // Without a pause: it is one moment of what is known that is written down.
  const rows: IndexRow[] = []
  collectRows(root, '', rows)
  const trees = Buffer.from(encodeTrees(root, '').text, 'latin1')
  const entriesLength = rows.reduce((sum, { path }) => sum + paddedLength(fixedLength + path.length), 0)
  const bytes = Buffer.alloc(headLength + entriesLength + 8 + trees.length + checksumLength)
  bytes.write('DIRC', 'latin1')
  bytes.writeUInt32BE(2, 4)
  bytes.writeUInt32BE(rows.length, 8)
  const second = Math.floor(now / 1000)
  let at = headLength
  let turn = 0
  for (const row of rows) {
    if (++turn % entriesPerTurn === 0) await setImmediate()
    const { key } = row.file
    if (key.isSettled && Math.floor(key.mtimeMs / 1000) < second) encodeKey(bytes, at, key)
    at = encodeEntry(bytes, at, row)
  }
  at += bytes.write('TREE', at, 'latin1')
  at = bytes.writeUInt32BE(trees.length, at)
  at += trees.copy(bytes, at)
  createHash('sha1').update(bytes.subarray(0, at)).digest().copy(bytes, at)
  return bytes
}

/** `undefined`: it is not whole, or not ours. */
export async function decodeIndexFile(bytes: Buffer): Promise<KnownDirectory | undefined> {
  const body = bytes.subarray(0, -checksumLength)
  const checksum = createHash('sha1').update(body).digest()
  if (body.length < headLength || !checksum.equals(bytes.subarray(-checksumLength))) return undefined
  if (body.toString('latin1', 0, 4) !== 'DIRC' || body.readUInt32BE(4) !== 2) return undefined

  const root = createDirectory()
  let at = headLength
  for (let left = body.readUInt32BE(8); left > 0; left--) {
    if (left % entriesPerTurn === 0) await setImmediate()
    const end = body.indexOf(0, at + fixedLength)
    const mode = parseGitMode(body.readUInt32BE(at + 24).toString(8))
    if (end === -1 || mode === undefined) return undefined
    const id = body.toString('latin1', at + 40, at + 60)
    const path = nameOfBytes(body.subarray(at + fixedLength, end))
    setFile(root, path, { mode, id, key: decodeKey(body, at) })
    at += paddedLength(end - at)
  }
  if (body.toString('latin1', at, at + 4) === 'TREE') decodeTrees(root, body.subarray(at + 8))
  return root
}

const headLength = 12
const checksumLength = 20
const fixedLength = 62
const entriesPerTurn = 5_000

/** An entry ends in one to eight zeros. */
function paddedLength(length: number): number {
  return (length + 8) & ~7
}

interface IndexRow {
  /** One character per byte. */
  readonly path: string
  readonly file: KnownFile
}

/** In git's order. */
function collectRows(directory: KnownDirectory, prefix: string, rows: IndexRow[]): void {
  const children = [
    ...Array.from(directory.files, ([name, file]) => ({ key: binaryOfName(name), file, below: undefined })),
    ...Array.from(directory.directories, ([name, below]) => {
      return { key: `${binaryOfName(name)}/`, file: undefined, below }
    }),
  ]
  children.sort((a, b) => (a.key < b.key ? -1 : 1))
  for (const { key, file, below } of children) {
    if (file) rows.push({ path: prefix + key, file })
    if (below) collectRows(below, prefix + key, rows)
  }
}

/** All but the key. Returns where the next begins. */
function encodeEntry(bytes: Buffer, at: number, { path, file: { mode, id } }: IndexRow): number {
  bytes.writeUInt32BE(mode, at + 24)
  bytes.write(id, at + 40, 'latin1')
  bytes.writeUInt16BE(Math.min(path.length, 0xfff), at + 60)
  bytes.write(path, at + fixedLength, 'latin1')
  return at + paddedLength(fixedLength + path.length)
}

function encodeKey(bytes: Buffer, at: number, key: StatKey): void {
  encodeTime(bytes, at, key.ctimeMs)
  encodeTime(bytes, at + 8, key.mtimeMs)
  bytes.writeUInt32BE(key.ino, at + 20)
  bytes.writeUInt32BE(key.uid >>> 0, at + 28)
  bytes.writeUInt32BE(key.gid >>> 0, at + 32)
  bytes.writeUInt32BE(key.size >>> 0, at + 36)
}

function encodeTime(bytes: Buffer, at: number, ms: number): void {
  const second = Math.floor(ms / 1000)
  bytes.writeUInt32BE(second >>> 0, at)
  bytes.writeUInt32BE(Math.round((ms - second * 1000) * 1e6) >>> 0, at + 4)
}

/** The same arithmetic as that of Node, so that the result compares as equal. */
function decodeTime(entry: Buffer, at: number): number {
  return entry.readUInt32BE(at) * 1000 + entry.readUInt32BE(at + 4) / 1e6
}

function decodeKey(entry: Buffer, at: number): StatKey {
  const ctimeMs = decodeTime(entry, at)
  const isKnown = ctimeMs !== 0
  return {
    ctimeMs,
    mtimeMs: decodeTime(entry, at + 8),
    ino: entry.readUInt32BE(at + 20),
    uid: entry.readUInt32BE(at + 28),
    gid: entry.readUInt32BE(at + 32),
    size: entry.readUInt32BE(at + 36),
    isRacy: !isKnown,
    isSettled: isKnown,
  }
}

/** Each directory with a file below it: name, number of files, number of directories, id. One character per byte. */
function encodeTrees(
  directory: KnownDirectory,
  name: string,
): { readonly text: string; readonly files: number } {
  let files = directory.files.size
  let inner = ''
  let count = 0
  for (const [below, known] of directory.directories) {
    const encoded = encodeTrees(known, binaryOfName(below))
    if (encoded.files === 0) continue
    files += encoded.files
    inner += encoded.text
    count++
  }
  const { tree } = directory
  const oid = tree === undefined ? '' : binaryId(tree)
  return { text: `${name}\0${tree === undefined ? -1 : files} ${count}\n${oid}${inner}`, files }
}

function decodeTrees(root: KnownDirectory, bytes: Buffer): void {
  let at = 0
  const decode = (parent: string | undefined): void => {
    const end = bytes.indexOf(0, at)
    const line = bytes.indexOf(10, end)
    const name = nameOfBytes(bytes.subarray(at, end))
    const path = parent === undefined ? '' : parent === '' ? name : `${parent}/${name}`
    const [files = '', count = ''] = bytes.toString('latin1', end + 1, line).split(' ')
    at = line + 1
    if (files !== '-1') {
      ensureDirectory(root, path).tree = bytes.toString('hex', at, at + 20)
      at += 20
    }
    for (let left = Number(count); left > 0; left--) decode(path)
  }
  decode(undefined)
}
