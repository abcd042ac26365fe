import { readFileSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const place = '/dev/shm'
/** For each worker. A test leaves a tenth of it at one time; only proofs leave more, and these are on a real disk. */
const bytesEach = 1024 ** 3

/**
 * Where tests keep their folders: a disk in memory, on which a sync costs nothing. What syncs are worth is proven elsewhere: on disks
 * of their own that are full or lose their power, and by the order of system calls. Undefined where there is no such disk, where it is
 * small, or where no program may be started from it.
 */
export function memoryDisk(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(place)
    const needed = bytesEach * Math.max(2, availableParallelism())
    return bavail * bsize >= needed && memoryLeft() >= 2 * needed && runsPrograms() ? place : undefined
  } catch {
    return undefined
  }
}

/** In bytes, with what the kernel would give back of its caches. */
function memoryLeft(): number {
  const [, kilobytes = '0'] = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

function runsPrograms(): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const [, , , options = 'noexec'] = mounts.findLast(line => line.split(' ')[1] === place)?.split(' ') ?? []
  return !options.split(',').includes('noexec')
}
