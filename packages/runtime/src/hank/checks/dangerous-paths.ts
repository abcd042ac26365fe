import type { Word } from './shell-words.ts'

/** `/`, `~`, `$HOME` and their like, or everything in one of them; not what lies deeper. */
export function isRootOrHome({ live }: Word): boolean {
  const parts = partsOf(live)
  if (live.startsWith('/')) return isAbsoluteRootOrHome(parts.filter(part => part !== '..'))
  return parts.length === 1 && homes.test(parts[0] ?? '')
}

/** All of the directory that the command runs in: `.`, `*`, `./*`. */
export function isWholeDirectory({ live }: Word): boolean {
  return live !== '' && !live.startsWith('/') && partsOf(live).length === 0
}

/** A whole disk or a partition; not `/dev/null` and its like. */
export function isRawDisk({ text }: Word): boolean {
  return rawDisks.test(text) || windowsDisks.test(text)
}

const homes = /^(?:~[\w-]*|\$HOME|\$\{HOME(?::?[-?=+][^}]*)?\})$/

const rawDisks =
  /^\/dev\/(?:[hsv]d[a-z]+\d*|xvd[a-z]+\d*|nvme\d+n\d+(?:p\d+)?|mmcblk\d+(?:p\d+)?|r?disk\d+(?:s\d+)*|md\d+|dm-\d+|mapper\/.+|disk\/by-.+)$/

/** `\\.\PhysicalDrive0`, or what a POSIX shell would leave of its backslashes. */
const windowsDisks = /^[\\.?]+PhysicalDrive\d+$/i

/** `/home` and `/Users` hold homes, and what lies directly in them is one. */
function isAbsoluteRootOrHome(parts: readonly string[]): boolean {
  const [top, name, ...deeper] = parts
  if (top === undefined) return true
  if (top === 'home' || top === 'Users') return deeper.length === 0
  return name === undefined ? top === 'root' : top === 'var' && name === 'root' && deeper.length === 0
}

/** Without empty parts and `.`, and without patterns for everything at the end. */
function partsOf(path: string): readonly string[] {
  const parts = path.split('/').filter(part => part !== '' && part !== '.')
  return everything.has(parts.at(-1) ?? '') ? parts.slice(0, -1) : parts
}

const everything = new Set(['*', '.*', '{*,.*}', '.[!.]*'])
