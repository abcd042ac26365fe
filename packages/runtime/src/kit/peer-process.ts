import { readdir, readlink } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { isLoopback, peerInode } from './peer-user.ts'
import { findMarked, type Marker, treeOf } from './process-clues.ts'
import { processTable } from './process-table.ts'
import { createSharedReading } from './shared-reading.ts'

/**
 * Whether the program at the other end carries a marker in its environment, or descends from one that does. Linux knows;
 * elsewhere, and beyond loopback, nobody does. A peer that cannot be found counts as marked: in doubt it gets less.
 */
export function createPeerMarkCheck(marker: Marker): (socket: Socket) => Promise<boolean> {
  if (process.platform !== 'linux') return async () => false
  const suspects = createSharedReading(async () => withDescendants(await findMarked(marker)))
  return async ({ remoteAddress, remotePort = 0, localAddress, localPort = 0 }) => {
    if (remoteAddress === undefined || localAddress === undefined) return true
    if (!isLoopback(localAddress)) return false
    const inode = await peerInode(
      { address: remoteAddress, port: remotePort },
      { address: localAddress, port: localPort },
    )
    if (inode === undefined) return true
    for (const pid of await suspects()) if (await holds(pid, inode)) return true
    return false
  }
}

async function withDescendants(marked: readonly number[]): Promise<readonly number[]> {
  if (marked.length === 0) return []
  const rows = await processTable()
  const roots = rows.filter(({ pid }) => marked.includes(pid))
  return treeOf(rows, roots).map(({ pid }) => pid)
}

/** Every process has few open files; one with more than this is not searched to the end. */
const mostFiles = 4_096

async function holds(pid: number, inode: string): Promise<boolean> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => [])
  const wanted = `socket:[${inode}]`
  for (const name of names.slice(0, mostFiles)) {
    const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => '')
    if (target === wanted) return true
  }
  return false
}
