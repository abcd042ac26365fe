import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createRedactor } from '../../src/kit/index.ts'
import { openSessionLog } from '../../src/workspace/index.ts'

const secret = 'a-secret-of-some-length'

test('a text of more than a megabyte is cut, and no secret shows at the cut', async () => {
  const path = join(await tempDir(), 'session.jsonl')
  const redactor = createRedactor([{ name: 'KEY', value: secret }])
  const log = openSessionLog({ path, redactor, onFailure: message => expect.fail(message) })
  const before = 'x'.repeat((1 << 20) - 5)
  log.write({ content: [{ text: `${before}${secret}${'y'.repeat(1_000)}` }], small: 'kept' })
  await log.close()
  const [line = ''] = readFileSync(path, 'utf8').split('\n')
  const { content, small } = JSON.parse(line) as { content: readonly { text: string }[]; small: string }
  expect(small).toBe('kept')
  expect(content[0]?.text.slice(before.length)).toBe(
    `[reda\n[${1_000 + secret.length - 5} characters are left out]`,
  )
  expect(line).not.toContain(secret.slice(0, 5))
})
