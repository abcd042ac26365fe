import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** One digest for all bytes, modes and links below a directory. */
export function treeDigest(dir: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()) {
    const stats = lstatSync(join(dir, name))
    hash.update(`${name} ${stats.mode} `)
    if (stats.isFile()) hash.update(readFileSync(join(dir, name)))
    if (stats.isSymbolicLink()) hash.update(readlinkSync(join(dir, name)))
  }
  return hash.digest('hex')
}
