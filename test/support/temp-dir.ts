import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A fresh directory that is gone when the test ends. `inMemory`: on a memory disk if there is one, where syncs are free. */
export async function tempDir({ inMemory = false } = {}): Promise<string> {
  const base = inMemory && existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const dir = await mkdtemp(join(base, 'weave-test-'))
  // A hundred thousand files take their time, and an agent whose run was killed may still write one.
  const options = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }
  onTestFinished(() => rm(dir, options), 120_000)
  return dir
}
