import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { beforeAll, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { journalOf } from '../support/hank-folder.ts'
import { steer } from '../support/steering-client.ts'
import { rehearsalPlace } from '../support/stopped-server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

verifies(
  ['d14/lock-run-id', 'd14/lock-host'],
  'the lock names its host and the run of its server: its checkpoints can be asked for by that id',
  async () => {
    const place = rehearsalPlace(await tempDir(), { harness: 'embedded' })
    const words = ['--headless', '--no-autostart', '--port', '0', '-e', place.dir]
    const lockOf = () => JSON.parse(readFileSync(place.lockFile, 'utf8')) as Record<string, unknown>
    // Twice: the second goes on with a run of its own.
    for (let start = 1; start <= 2; start++) {
      const run = await place.startScripted(...words)
      await run.until('Clients ')
      const { client } = await steer(place.dir)
      const { runId, host } = lockOf()
      const started = journalOf(place.dir).filter(({ type }) => type === 'run.started')
      expect(started).toHaveLength(start)
      expect(started.at(-1)?.data['runId']).toBe(runId)
      expect(host).toBe(hostname())
      expect(await client.send('checkpoint.list', { runId: String(runId) })).toMatchObject({ ok: true })
      expect(await client.send('checkpoint.list', { runId: 'srv_x' })).toMatchObject({ ok: false })
      await run.kill('SIGTERM')
    }
  },
  120_000,
)
