import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { openFleet } from 'weave-fleet'
import { verifies } from '../conformance/verifies.ts'
import { lightAgents, lightModel, rig } from '../support/hank-folder.ts'
import { s3Server } from '../support/s3-server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { launcher, root, startCommand } from '../support/weave-command.ts'

const longest = 300_000

/** The example with agents that start quickly, whose first codon writes down what it sees of the environment. */
async function scene() {
  const home = await tempDir()
  const cwd = join(home, 'example')
  cpSync(join(root, 'examples/10-fleet'), cwd, { recursive: true })
  const hank = JSON.parse(readFileSync(join(cwd, 'hank.json'), 'utf8')) as { hank: object[] }
  hank.hank = hank.hank.map((item, at) => ({
    ...item,
    model: lightModel,
    ...(at === 0 && rig('env >> "$HOME/seen"')),
  }))
  writeFileSync(join(cwd, 'hank.json'), JSON.stringify(hank))
  writeFileSync(join(cwd, 'weave.json'), JSON.stringify(lightAgents))
  const server = await s3Server()
  const env = { HOME: home, WEAVE_FLEET_STORE: 's3://parcels/all/of-it', ...server.environment }
  const weave = async (words: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const run = startCommand(launcher, words, { cwd, env: { ...env, ...more } })
    return { status: await run.ended, said: run.said() }
  }
  onTestFinished(async () => {
    const fleet = await openFleet({ home, environment: { PATH: process.env['PATH'] }, works: false })
    const [row] = await fleet.engine.database.query<{ data_directory: string }>('show data_directory')
    await fleet.close()
    for (const folder of [fleet.root, dirname(row?.data_directory ?? join(home, 'x'))])
      rmSync(folder, { recursive: true, force: true })
  }, longest)
  return { home, cwd, server, weave }
}

describe('a fleet with its objects in a bucket', () => {
  verifies(
    ['fleet/bucket', 'fleet/no-address', 'fleet/gc', 'fleet/doctor'],
    'rehearses the example with the built command, through faults of the server; agents see no key',
    async () => {
      const { home, cwd, server, weave } = await scene()
      server.fail(
        'PUT',
        { kind: 'status', status: 503 },
        { kind: 'status', status: 500 },
        { kind: 'other-bytes' },
      )
      server.fail('GET', { kind: 'cut' }, { kind: 'status', status: 429 })
      const sets = ['--data', 'sets/anise', '--data', 'sets/woodruff']
      const run = await weave(['submit', '.', ...sets, '--rehearse', '--here', '-o', 'collected'])
      expect(run.status, run.said).toBe(0)
      expect(readFileSync(join(cwd, 'collected/1-anise/line.md'), 'utf8')).toBe('18 jars were ordered.\n')
      const parcels = server.objects.size
      expect(parcels).toBeGreaterThanOrEqual(9)
      const seen = readFileSync(join(home, 'seen'), 'utf8')
      expect(seen).toContain('AWS_REGION=')
      expect(seen).not.toMatch(/AWS_(?:ACCESS|SECRET|SESSION|ENDPOINT)|WEAVE_FLEET|parcels/)

      const doctor = await weave(['fleet', 'doctor'])
      expect(doctor.said).toMatch(/store +s3:\/\/parcels\/all\/of-it: written and read in \d+ ms/)
      const wrong = await weave(['fleet', 'doctor'], { AWS_SECRET_ACCESS_KEY: 'not-this-one' })
      expect(wrong.status).toBe(1)
      expect(wrong.said).toContain('its secret key is not the right one. See to AWS_ACCESS_KEY_ID')
      expect(wrong.said).not.toContain('not-this-one')

      for (const kept of server.objects.values()) kept.at -= 25 * 3_600_000
      const gone = await weave(['fleet', 'gc'])
      expect(gone.said).toMatch(/Dropped \d+ objects? with/)
      // That of the doctor at the least; what a head names stays.
      expect(server.objects.size).toBeLessThan(parcels + 1)
      const batch = /^Batch +(\S+)/m.exec(run.said)?.[1] ?? ''
      const again = await weave(['fleet', 'results', batch, '-o', 'again'])
      expect(again.status, again.said).toBe(0)
      expect(readFileSync(join(cwd, 'again/1-anise/line.md'), 'utf8')).toBe('18 jars were ordered.\n')
      const none = await weave(['fleet', 'doctor'], { AWS_ACCESS_KEY_ID: '' })
      expect(none).toMatchObject({ status: 4, said: expect.stringContaining('(FLEET_STORE)') })
    },
    longest,
  )
})
