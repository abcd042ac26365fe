import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { fixtureProgram } from '../../../../test/support/fixture-program.ts'
import { isProof, tally } from '../../../../test/support/proof.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { startWebhookServer, type WebhookServer } from '../../../../test/support/webhook-server.ts'
import { readAll } from '../journal/open.ts'

const wanted = isProof ? 1_000 : 120
/** After so many requests since its start the process is killed. */
const killAfter = isProof ? 9 : 12

/** Starts the program, kills it while it tells, and returns whether it came to its end by itself. */
async function tellUntilKilled(
  program: string,
  dir: string,
  { url, received, until }: WebhookServer,
): Promise<boolean> {
  const child = spawn(process.execPath, [program, dir, url, String(wanted)], { stdio: 'inherit' })
  const ended = new Promise<boolean>(resolve => child.on('close', code => resolve(code === 0)))
  const kill = until(received.length + killAfter).then(() => void child.kill('SIGKILL'))
  const isOver = await ended
  void kill
  return isOver
}

verifies(
  ['notify/at-least-once', 'notify/body'],
  `of ${wanted} notifications none is lost over kills, what is sent twice has one id, and no secret is in a body`,
  async () => {
    const program = await fixtureProgram(new URL('./fixtures/notify-until-killed.ts', import.meta.url))
    const dir = await tempDir({ inMemory: true })
    const server = await startWebhookServer()
    let kills = 0
    while (!(await tellUntilKilled(program, dir, server))) kills++
    const { events } = await readAll(join(dir, 'journal'))
    const parked = events.filter(({ type }) => type === 'run.parked')
    const told = new Map(server.received.map(({ headers, body }) => [String(headers['webhook-id']), body]))
    expect(parked.length).toBeGreaterThanOrEqual(wanted)
    expect(parked.filter(({ id }) => !told.has(id))).toEqual([])
    expect([...told.values()].filter(body => body.includes('canary'))).toEqual([])
    expect(kills).toBeGreaterThan(isProof ? 80 : 3)
    tally('notifications over kills', told.size)
    tally('kills of a process that notifies', kills)
  },
  600_000,
)
