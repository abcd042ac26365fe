import { expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { clientFrame, opcode } from '../../../../test/support/raw-websocket.ts'
import { createTestClock, type TestClock } from '../../../../test/support/test-clock.ts'
import { startTestServer, type TestClient } from './test-server.ts'

/** Lets time pass in small steps, as it does, with room for the sockets in between. */
async function pass(clock: TestClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) await clock.advance(1_000)
}

async function isHere(client: TestClient, id: string): Promise<boolean> {
  client.command('ping', undefined, id)
  return Promise.race([
    client.next(message => message.commandId === id).then(() => true),
    client.ended.then(() => false),
  ])
}

verifies(
  ['2.8/idle-timeout-closes'],
  'with an idle timeout a silent connection is closed, and one over which anything is said is not',
  async () => {
    const clock = createTestClock()
    const { client, journal } = await startTestServer({ clock, idleTimeoutSeconds: 5 })
    const [silent, talking, pinging] = [await client(), await client(), await client()]
    await pass(clock, 4)
    expect(await isHere(talking, 'one')).toBe(true)
    pinging.raw.write(clientFrame('', { opcode: opcode.ping }))
    await pinging.raw.until(frame => frame.opcode === opcode.pong)
    await pass(clock, 3)
    expect(await silent.ended).toMatchObject({ code: 1001 })
    expect(await isHere(talking, 'two')).toBe(true)
    expect(await isHere(pinging, 'two')).toBe(true)
    for (let n = 0; n < 4; n++) {
      await pass(clock, 3)
      journal.append('info', { message: 'an event keeps everyone' })
      await Promise.all([talking.next('info'), pinging.next('info')])
    }
    await pass(clock, 8)
    expect((await talking.ended).code).toBe(1001)
    expect((await pinging.ended).code).toBe(1001)
  },
)

verifies(['2.8/idle-timeout-zero'], 'without one a silent connection stays', async () => {
  const clock = createTestClock()
  const { client } = await startTestServer({ clock })
  const silent = await client()
  for (let n = 0; n < 20; n++) {
    await clock.advance(29_000)
    silent.raw.write(clientFrame('', { opcode: opcode.pong }))
    await clock.advance(1_000)
  }
  expect(await isHere(silent, 'later')).toBe(true)
})

test('our own pings are answered by every client and keep no idle one', async () => {
  const clock = createTestClock()
  const { client } = await startTestServer({ clock, idleTimeoutSeconds: 100 })
  const one = await client()
  for (let n = 1; n <= 3; n++) {
    await pass(clock, 30)
    await one.raw.until(frame => frame.opcode === opcode.ping)
    one.raw.write(clientFrame('', { opcode: opcode.pong }))
  }
  await pass(clock, 15)
  expect((await one.ended).code).toBe(1001)
})

test('a client that gives no sign of life for a whole period is cut off; one that answers stays', async () => {
  const clock = createTestClock()
  const { client, server } = await startTestServer({ clock })
  const [dead, alive] = [await client(), await client()]
  await clock.advance(30_000)
  await dead.raw.until(frame => frame.opcode === opcode.ping)
  await alive.raw.until(frame => frame.opcode === opcode.ping)
  alive.raw.write(clientFrame('', { opcode: opcode.pong }))
  expect(await isHere(alive, 'now')).toBe(true)
  await clock.advance(30_000)
  expect((await dead.ended).code).toBe(1006)
  expect(await isHere(alive, 'then')).toBe(true)
  expect(server.clients()).toBe(1)
})
