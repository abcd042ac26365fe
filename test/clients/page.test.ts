import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startTestServer } from '../../packages/runtime/test/server/test-server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { root } from '../support/weave-command.ts'

test('the small client on the page about the protocol works as it stands there', async () => {
  const page = readFileSync(join(root, 'docs/protocol.md'), 'utf8')
  const program = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  const { server, port, journal } = await startTestServer()
  const end = (codonId: string, success: boolean): void => {
    const exitStatus = success ? ({ type: 'success' } as const) : ({ type: 'error', code: 1 } as const)
    journal.append('codon.completed', { codonId, success, cost: 0, duration: 1, exitStatus })
  }
  end('past', true)
  const dir = await tempDir()
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
  expect(program).toContain('ws://localhost:41234')
  writeFileSync(join(dir, 'client.mjs'), program.replace('41234', String(port)))
  const client = spawn(process.execPath, [join(dir, 'client.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const said = text(client.stdout)
  await once(client.stdout, 'readable')
  end('live', false)
  await server.close('done')
  await once(client, 'close')
  expect(await said).toBe('past is done\nlive failed\n')
})
