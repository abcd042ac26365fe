import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import type { Scope } from '../kit/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

/**
 * A store of checkpoints beside one whose disk cannot be written, gone with the scope: comparing files with a checkpoint
 * stores them first. Packs, which are large and never change, are linked; the rest is copied. Rejects with the system's
 * error.
 */
export async function writableStore({ checkpoints }: ExecutionLayout, scope: Scope): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'weave-checkpoints-'))
  scope.add('copied checkpoints', () => rm(dir, { recursive: true, force: true }))
  const packs = join(checkpoints, 'objects', 'pack')
  const isPack = (path: string): boolean => path.startsWith(packs + sep)
  await cp(checkpoints, dir, { recursive: true, filter: path => !isPack(path) })
  for (const name of await readdir(packs))
    await symlink(join(packs, name), join(dir, 'objects', 'pack', name))
  return dir
}
