import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { endFormerTurn, forgetTurn, noteTurn } from '../src/turn/former-turn.ts'

test('a turn that ends late does not hide the one after it', async () => {
  const execution = join(await tempDir({ inMemory: true }), 'batch.1')
  const later = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' })
  const ended = once(later, 'exit')
  noteTurn(execution, process.pid)
  noteTurn(execution, later.pid ?? 0)
  forgetTurn(execution, process.pid)
  await endFormerTurn(execution)
  expect(await ended).toEqual([null, 'SIGKILL'])
})
