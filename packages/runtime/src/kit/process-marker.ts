import { readdir, readFile, stat } from 'node:fs/promises'

/** A variable in the environment of processes, to know them by: `NAME=value`. */
export type Marker = `${string}=${string}`

/**
 * Our user's processes whose environment, as it was when they started, holds `marker`, except this one.
 * Finds what left its process group and lost its parent; misses what was started with a cleaned environment. Never
 * rejects; what cannot be read is passed over. Empty where the system does not show environments.
 */
export async function findMarked(marker: Marker): Promise<readonly number[]> {
  if (process.platform !== 'linux') return []
  const pids = (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name)).map(Number)
  const found: number[] = []
  for (let at = 0; at < pids.length; at += readsAtOnce) {
    const batch = pids.slice(at, at + readsAtOnce)
    const marked = await Promise.all(batch.map(pid => isMarked(pid, marker)))
    found.push(...batch.filter((_, index) => marked[index]))
  }
  return found
}

const readsAtOnce = 16

async function isMarked(pid: number, marker: Marker): Promise<boolean> {
  if (pid === process.pid) return false
  try {
    const { uid } = await stat(`/proc/${pid}`)
    if (uid !== process.getuid?.()) return false
    const environment = await readFile(`/proc/${pid}/environ`)
    return Buffer.concat([nul, environment, nul]).includes(`\0${marker}\0`)
  } catch {
    return false
  }
}

const nul = Buffer.from('\0')
