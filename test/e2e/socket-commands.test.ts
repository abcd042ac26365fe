import { beforeAll, expect } from 'vitest'
import { events as table } from '../../packages/client/src/index.ts'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder, rig } from '../support/hank-folder.ts'
import { type SteeringClient, steer } from '../support/steering-client.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

const withRig = (id: string): object => codon(id, rig(`echo ${id} >> ${id}.txt`))

/** Starts a codon by its name and waits until the server has nothing to do. */
async function start({ client, until, now }: SteeringClient, codonId: string, skipPreCommands?: boolean) {
  const from = now()
  const rig = skipPreCommands === undefined ? {} : { skipPreCommands }
  expect(await client.send('codon.start', { codonId, ...rig })).toMatchObject({
    ok: true,
    event: { type: 'codon.started', data: { codonId } },
  })
  const { data } = await until('codon.completed', from)
  await until('server.idle', from)
  return data
}

verifies(
  ['4.1/codon-start', '4.1/codon-start-skip-pre-commands', '3/start-begins-codon'],
  'starts the codon that is named, with its rig unless told otherwise',
  async () => {
    const at = await hankFolder([withRig('a'), withRig('b')])
    const run = await at.serve()
    const rigOf = (id: string) => at.read(`${id}.txt`)
    const steering = await steer(run.dir)
    expect(await start(steering, 'b', true)).toMatchObject({ codonId: 'b', success: true })
    expect([rigOf('a'), rigOf('b')]).toEqual([undefined, undefined])
    expect(await start(steering, 'a')).toMatchObject({ codonId: 'a', success: true })
    expect([rigOf('a'), rigOf('b')]).toEqual(['a\n', undefined])
    expect(await start(steering, 'b', false)).toMatchObject({ codonId: 'b', success: true })
    expect(rigOf('b')).toBe('b\n')
    expect(await steering.client.send('codon.start', { codonId: 'c' })).toMatchObject({
      ok: false,
      code: 'UNKNOWN_CODON',
    })
    await steering.client.send('server.shutdown')
    expect(await run.ended).toBe(0)
  },
)

verifies(
  [
    '6/server-state-journaled',
    '6/agentic-backbone-journaled',
    'd5/error-unknown-checkpoint',
    '1/checkpointed-files-streamed',
  ],
  'what is said of the server and of the agents is in the journal; what answers one client only is not',
  async () => {
    const run = await (await hankFolder([codon('a')])).serve()
    const steering = await steer(run.dir)
    const { client, events, until } = steering
    await start(steering, 'a')
    await until('state.snapshot')
    expect(await client.send('rollback.toCheckpoint', { checkpointSha: 'abcdef' })).toMatchObject({
      ok: false,
      code: 'UNKNOWN_CHECKPOINT',
    })
    const told = events.filter(({ type }) => ['server-state', 'agentic'].includes(table[type].category))
    const types = new Set(told.map(({ type }) => type))
    expect([...types]).toEqual(
      expect.arrayContaining([
        'codon.started',
        'codon.completed',
        'state.snapshot',
        'token.usage',
        'server.idle',
      ]),
    )
    expect([...types]).toEqual(
      expect.arrayContaining(['assistant.action', 'tool.result', 'file.updated', 'filetree.updated']),
    )
    const journal = new Map<string, string>()
    for await (const batch of client.history()) {
      if (!batch.ok) throw new Error(batch.message)
      for (const event of batch.events) journal.set(event.id, event.type)
    }
    for (const event of told.filter(({ type }) => type !== 'error'))
      expect(journal.get(event.id)).toBe(event.type)
    expect([...journal.values()]).not.toContain('error')
    await client.send('server.shutdown')
    expect(await run.ended).toBe(0)
  },
)
