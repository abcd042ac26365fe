import { spawnSync } from 'node:child_process'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempDir } from './temp-dir.ts'
import { root } from './weave-command.ts'

/** A disk of its own, whose power can be cut. */
export interface Ext4Disk {
  /** Where it is mounted, before and after a cut. */
  readonly path: string
  /**
   * What is on the disk at this moment, without what only the memory has: the snapshot of a power cut. It can be put in
   * with `restart`, once nothing uses the disk any more.
   */
  snapshot(): void
  /** The machine comes up again with the disk as the last snapshot has it. */
  restart(): void
}

/** Whether we may make and mount such disks here. */
export function mayMountExt4(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const canMount = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', root]).status === 0
  const loops = spawnSync('losetup', ['-f']).status === 0
  return canMount && loops && spawnSync('mkfs.ext4', ['-V']).status === 0
}

/** Gone when the test ends. */
export async function ext4Disk(): Promise<Ext4Disk> {
  const folder = await tempDir()
  const path = join(folder, 'disk')
  /** The one that is mounted, and the one that the next cut makes. */
  let [image, cut] = [join(folder, 'one'), join(folder, 'other')]
  writeFileSync(image, '')
  truncateSync(image, 64 << 20)
  must('mkfs.ext4', '-qF', image)
  mkdirSync(path)
  must('mount', '-o', 'loop', image, path)
  onTestFinished(() => void spawnSync('umount', ['-l', path]))
  return {
    path,
    // The kernel may write while the image is copied: only a copy that is equal to the next one is of one moment.
    snapshot() {
      for (let attempt = 0; attempt < 20; attempt++) {
        must('cp', '--sparse=always', image, cut)
        if (spawnSync('cmp', ['-s', image, cut]).status === 0) return
      }
      throw new Error('the disk does not come to rest')
    },
    restart() {
      must('umount', path)
      ;[image, cut] = [cut, image]
      must('mount', '-o', 'loop', image, path)
    },
  }
}

function must(program: string, ...words: readonly string[]): void {
  const { status, stderr } = spawnSync(program, words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}`)
}
