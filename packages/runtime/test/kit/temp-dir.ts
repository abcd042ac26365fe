import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory of its own, gone at the end of the block: `await using dir = await tempDir()`. */
export async function tempDir(): Promise<
  { readonly path: string; file(name: string): string } & AsyncDisposable
> {
  const path = await mkdtemp(join(tmpdir(), 'kit-'))
  return {
    path,
    file: name => join(path, name),
    async [Symbol.asyncDispose]() {
      await chmod(path, 0o700).catch(() => undefined)
      await rm(path, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
