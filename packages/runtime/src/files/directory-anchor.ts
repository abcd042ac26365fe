import { constants, existsSync } from 'node:fs'

/** Opens a directory and nothing else: a link in the last component fails with ELOOP or ENOTDIR. */
export const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/**
 * A spelling of an open directory that stays with it when someone moves it or puts a link in its place, so that
 * `${anchor}/name` is what `openat` would find. Where the system has no such spelling it is the path itself.
 */
export function directoryAnchor(fd: number, path: string): string {
  return hasDescriptorPaths ? `/proc/self/fd/${fd}` : path
}

const hasDescriptorPaths = process.platform === 'linux' && existsSync('/proc/self/fd')
