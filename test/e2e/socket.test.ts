import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon as codonOf, hankFolder, rig } from '../support/hank-folder.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { scriptedFile } from '../support/scripted-file.ts'
import { type SteeringClient, steer } from '../support/steering-client.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

const codon = (id: string, fields: object = {}) =>
  codonOf(id, { checkpointedFiles: ['*.md', '*.txt'], ...fields })
const hanging = (id: string) => codon(id, { promptText: `Work on ${id}. Then hang.` })
const place = (...items: readonly object[]) => hankFolder(items)

/** Starts the next codon and waits for its end. */
async function next({ client, until, now }: SteeringClient): Promise<{ readonly success: boolean }> {
  const from = now()
  const sent = await client.send('codon.next')
  expect(sent).toMatchObject({ ok: true })
  const { data } = await until('codon.completed', from)
  await until('server.idle', from)
  return data
}

/** The second codon changes a file, deletes one and makes one; the third does the same to its own. */
const items = [
  codon('a', rig('echo first > kept.txt; echo doomed > old.txt')),
  codon('b', rig('echo second >> kept.txt; rm old.txt; echo new > new.txt')),
  codon('c'),
]

describe('a shutdown that a client asks for', () => {
  verifies(
    ['d2/shutdown-step-limit', 'd2/exit-0-client-shutdown'],
    'is cut off when an agent does not end, and the next start puts right what it left',
    async () => {
      const at = await place(codon('a', { promptText: 'Work on a. Then hang for ever.' }))
      const run = await at.with({ SCRIPTED_SHUTDOWN_MS: '300' }).serve('--keep-alive')
      const { dir } = run
      const { client, until } = await steer(dir)
      await until('token.usage')
      expect(await client.send('server.shutdown')).toMatchObject({ ok: false, code: 'CONNECTION_LOST' })
      expect(await run.ended).toBe(0)
      expect(run.said()).toContain('The shutdown hangs and is cut off.')
      expect(existsSync(at.execution('.weave/lock.json'))).toBe(true)

      const again = await at.serve('--keep-alive')
      expect(again.dir).toBe(dir)
      const back = await steer(dir)
      await back.until('state.transition', 0, ({ data }) => data.transitionType === 'RunCrashed')
    },
  )
})

describe('a client over the control socket', () => {
  verifies(
    [
      'd2/flag-no-autostart',
      '4.1/codon-next',
      '4.1/checkpoint-list',
      '4.1/rollback-to-codon',
      'd7/rollback-restores',
      'd7/rollback-leaves-other-files',
      'd7/rollback-new-run',
      'd7/after-codon-end',
      '4.1/server-shutdown',
      '3/next-begins-codon',
      'd2/exit-0-client-shutdown',
    ],
    'steps through a hank and takes it back: content, deleted files and new ones, and nothing else',
    async () => {
      const at = await place(...items)
      const run = await at.serve()
      const { workspace, read } = at
      const steering = await steer(run.dir)
      const { client, events, until, now } = steering
      expect(existsSync(workspace('a.md'))).toBe(false)
      expect(await next(steering)).toMatchObject({ success: true })
      mkdirSync(workspace('mine'))
      writeFileSync(workspace('mine/notes.log'), 'by hand')
      expect(await next(steering)).toMatchObject({ success: true })
      expect(read('kept.txt')).toBe('first\nsecond\n')
      expect(read('old.txt')).toBeUndefined()

      const runId = (await until('run.started')).data.runId
      const listed = await client.send('checkpoint.list', { runId })
      expect(listed).toMatchObject({
        ok: true,
        event: {
          data: {
            runId,
            checkpoints: expect.arrayContaining([
              expect.objectContaining({ codonId: 'a', checkpointType: 'completed' }),
              expect.objectContaining({ codonId: 'b', checkpointType: 'rig-setup' }),
              expect.objectContaining({ codonId: 'b', checkpointType: 'completed' }),
            ]),
          },
        },
      })

      const from = now()
      expect(await client.send('rollback.toCodon', { codonId: 'a', checkpointType: 'end' })).toMatchObject({
        ok: true,
      })
      const { data } = await until('rollback.completed', from)
      expect(data).toMatchObject({ codonId: 'a', checkpointType: 'completed', fromRun: runId })
      expect(data.toRun).not.toBe(runId)
      expect(read('kept.txt')).toBe('first\n')
      expect(read('old.txt')).toBe('doomed\n')
      expect(read('new.txt')).toBeUndefined()
      expect(read('b.md')).toBeUndefined()
      expect(read('a.md')).toBe(scriptedFile('a', 'Work on a.'))
      expect(read('mine/notes.log')).toBe('by hand')

      await until('server.idle', from)
      expect(await next(steering)).toMatchObject({ success: true })
      expect(read('kept.txt')).toBe('first\nsecond\n')
      expect(events.filter(({ type }) => type === 'codon.started').length).toBe(3)
      await client.send('server.shutdown', { reason: 'enough' })
      expect(await run.ended).toBe(0)
      expect(existsSync(at.execution('.weave/lock.json'))).toBe(false)
      expect(run.said()).toContain('Go on with')

      expect((await at.scripted()).status).toBe(0)
      expect(read('c.md')).toBe(scriptedFile('c', 'Work on c.'))
      expect(read('kept.txt')).toBe('first\nsecond\n')
    },
    60_000,
  )

  verifies(
    ['4.1/codon-redo', 'd5/redo-new-run'],
    'lets a codon run again from where it began, in a new run',
    async () => {
      const at = await place(...items)
      const run = await at.serve()
      const { read } = at
      const steering = await steer(run.dir)
      const { client, events, until, now } = steering
      await next(steering)
      await next(steering)
      const from = now()
      expect(await client.send('codon.redo')).toMatchObject({ ok: true })
      expect((await until('codon.completed', from)).data).toMatchObject({ codonId: 'b', success: true })
      expect(read('kept.txt')).toBe('first\nsecond\n')
      expect(events.filter(({ type }) => type === 'run.started').length).toBe(2)
      await client.send('server.shutdown')
      expect(await run.ended).toBe(0)
    },
  )

  verifies(
    ['4.1/codon-skip', '4.1/codon-force-stop', 'd5/force-stop-result', 'd5/force-stop-waits'],
    'skips a codon, which leads to the next, and stops one by force, after which nothing starts by itself',
    async () => {
      const at = await place(hanging('a'), hanging('b'), codon('c'))
      const run = await at.serve('--keep-alive')
      const { client, events, until } = await steer(run.dir)
      await until('codon.started')
      expect(await client.send('codon.skip')).toMatchObject({ ok: true })
      expect((await until('codon.completed')).data).toMatchObject({ codonId: 'a', success: false })
      await until('codon.started', 0, ({ data }) => data.codonId === 'b')
      expect(await client.send('codon.forceStop', { reason: 'wrong way' })).toMatchObject({ ok: true })
      const stopped = await until('codon.completed', 0, ({ data }) => data.codonId === 'b')
      expect(stopped.data).toMatchObject({ success: false, exitStatus: { type: 'killed' } })
      await until('server.idle', events.indexOf(stopped))
      expect(existsSync(at.workspace('c.md'))).toBe(false)
      await client.send('server.shutdown')
      expect(await run.ended).toBe(0)
    },
  )
})

describe('the server of a run', () => {
  verifies(
    ['d2/flag-keep-alive'],
    'stays with --keep-alive when the hank is done, and tells a late client everything',
    async () => {
      const run = await (await place(codon('a'))).serve('--keep-alive')
      await run.until('codon a completed')
      const { client, until } = await steer(run.dir, { mode: 'readonly' })
      expect(run.said()).toContain(`ws://localhost:${run.port}`)
      const idle = await until('server.idle')
      expect(idle.data).toMatchObject({ reason: 'all-codons-completed' })
      await until('codon.completed')
      await client.send('server.shutdown')
      expect(await run.ended).toBe(0)
    },
  )

  verifies(['d5/flag-readonly-only'], 'lets nobody steer with --readonly-only', async () => {
    const run = await (await place(hanging('a'))).serve('--readonly-only')
    const { client, until } = await steer(run.dir)
    expect(client.mode).toBe('readonly')
    await until('codon.started')
    expect(await client.send('codon.skip')).toMatchObject({ ok: false, code: 'INSUFFICIENT_PERMISSIONS' })
    expect(await run.kill('SIGTERM')).toBe(143)
  })

  test('says which port is taken, and ends before anything has begun', async () => {
    const port = await listenOnLoopback(createServer())
    const at = await place(codon('a'))
    const { status, stdout, stderr } = await at.scripted('--port', String(port))
    expect(status).toBe(1)
    expect(stderr).toContain(String(port))
    expect(stderr).toMatch(/--port/)
    expect(stdout).toBe('')
    expect((await at.scripted()).status).toBe(0)
  })
})
