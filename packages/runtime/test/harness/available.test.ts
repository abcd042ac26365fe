import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { sdkHarnessAvailable } from '../../src/harness/available.ts'

test('the SDK of this repository is there', async () => {
  expect(await sdkHarnessAvailable()).toEqual({ ok: true })
})

test('a missing package is said with its cure', async () => {
  const nothing = () => {
    throw new Error('not found')
  }
  expect(await sdkHarnessAvailable(nothing)).toEqual({
    ok: false,
    message: 'The package @anthropic-ai/claude-agent-sdk is not installed.',
    cure: 'npm install @anthropic-ai/claude-agent-sdk',
  })
})

test('a package without its program for this platform is told apart from a missing one', async () => {
  const program = join(await tempDir(), 'claude')
  const resolve = (name: string) => {
    if (name === '@anthropic-ai/claude-agent-sdk') return '/somewhere/sdk.mjs'
    return program
  }
  const without = await sdkHarnessAvailable(resolve)
  expect(without).toMatchObject({ ok: false, message: expect.stringContaining('without its program') })
  await writeFile(program, '')
  expect(await sdkHarnessAvailable(resolve)).toMatchObject({ ok: false })
  await chmod(program, 0o755)
  expect(await sdkHarnessAvailable(resolve)).toEqual({ ok: true })
})
