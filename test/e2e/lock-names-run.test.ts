import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { startCommand } from '../support/running-command.ts'
import { scriptedWeave } from '../support/scripted-program.ts'
import { steer } from '../support/steering-client.ts'
import { rehearsalPlace } from '../support/stopped-server.ts'
import { tempDir } from '../support/temp-dir.ts'

beforeAll(scriptedWeave, 120_000)

verifies(
  ['d14/lock-run-id', 'd14/lock-host'],
  'the lock names its host and the run of its server: its checkpoints can be asked for by that id',
  async () => {
    const cwd = await tempDir()
    const place = rehearsalPlace(cwd, { harness: 'embedded' })
    const env = { HOME: join(cwd, 'home') }
    const words = ['--headless', '--no-autostart', '--port', '0', '-e', place.execution]
    const lockOf = () => JSON.parse(readFileSync(place.lockFile, 'utf8')) as Record<string, unknown>
    // Twice: the second goes on with a run of its own.
    for (let start = 1; start <= 2; start++) {
      const run = startCommand(await scriptedWeave(), words, { cwd, env })
      await run.until('Clients ')
      const { client } = await steer(place.execution)
      const { runId, host } = lockOf()
      const segment = join(place.execution, '.weave/journal/events-000000000001.jsonl')
      const started = readFileSync(segment, 'utf8').match(/"type":"run\.started","data":\{"runId":"[^"]*"/g)
      expect(started).toHaveLength(start)
      expect(started?.at(-1)).toContain(`"runId":"${String(runId)}"`)
      expect(host).toBe(hostname())
      expect(await client.send('checkpoint.list', { runId: String(runId) })).toMatchObject({ ok: true })
      expect(await client.send('checkpoint.list', { runId: 'srv_x' })).toMatchObject({ ok: false })
      await run.kill('SIGTERM')
    }
  },
  120_000,
)
