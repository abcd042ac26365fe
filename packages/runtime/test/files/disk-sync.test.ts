import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createDiskSync } from '../../src/files/index.ts'

/** A `sync` that notes what it was asked and ends so. */
async function programs(code: number): Promise<{ readonly PATH: string; readonly asked: () => string }> {
  const folder = await tempDir()
  const notes = join(folder, 'asked')
  writeFileSync(join(folder, 'sync'), `#!/bin/sh\necho "$@" >> ${notes}\nexit ${code}\n`)
  chmodSync(join(folder, 'sync'), 0o755)
  return { PATH: folder, asked: () => (existsSync(notes) ? readFileSync(notes, 'utf8') : '') }
}

describe.skipIf(process.platform !== 'linux')('putting files on the disk', () => {
  test('asks the program once for all directories, each time', async () => {
    const { PATH, asked } = await programs(0)
    const sync = createDiskSync(['/one', '/two'], { PATH })
    await sync()
    await sync()
    expect(asked()).toBe('-f /one /two\n-f /one /two\n')
  })

  test('goes from file to file when the program cannot, and does not ask it again', async () => {
    const { PATH, asked } = await programs(1)
    const directory = await tempDir()
    mkdirSync(join(directory, 'sub'))
    writeFileSync(join(directory, 'sub/file'), 'x')
    symlinkSync('/nowhere', join(directory, 'link'))
    const sync = createDiskSync([directory], { PATH })
    await sync()
    await sync()
    expect(asked()).toBe(`-f ${directory}\n`)
    await expect(createDiskSync([join(directory, 'missing')], {})()).resolves.toBeUndefined()
  })
})
