import { readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createObjectWriter } from '../../src/checkpoint/object-writer.ts'

test('many objects become several packs, since others have no turn while one is encoded', async () => {
  const gitDir = await tempDir()
  const packs = join(gitDir, 'objects/pack')
  await mkdir(packs, { recursive: true })
  const writer = createObjectWriter(gitDir)
  for (let n = 0; n <= 30_000; n++) await writer.add('blob', Buffer.from(`${n}`))
  await writer.flush()
  expect(readdirSync(packs).filter(name => name.endsWith('.pack'))).toHaveLength(2)
})
