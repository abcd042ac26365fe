import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JournaledEvent } from '@weave/protocol'
import { events as eventTable } from '@weave/protocol'
import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createHistory } from '../../src/journal/index.ts'
import { createScene, keeping, type Scene, startedIn } from '../at-rest/scene.ts'
import { codonPlan } from '../runner/plans.ts'

const command = (run: string) => ({ type: 'command', command: { run } }) as const
const done = () => [{ say: 'done' }] as const

const failureIn = (events: readonly JournaledEvent[]): string | undefined =>
  events
    .flatMap(event => (event.type === 'codon.completed' ? [event.data.failureReason?.message] : []))
    .at(-1)

async function journalOf({ layout }: Scene): Promise<readonly JournaledEvent[]> {
  const history = createHistory({ dir: layout.journal })
  const events: JournaledEvent[] = []
  for await (const page of history.pages())
    for (const stored of page.events) {
      const event = await history.event(stored)
      if (event) events.push(event)
    }
  return events
}

describe('a rig', () => {
  verifies(
    ['d8/rig-output-events', 'd8/rig-output-log', 'd11/rig-output', 'd11/journaled'],
    'is heard while it works: in events, in the journal and in the log',
    async () => {
      const scene = await createScene(
        [codonPlan('a', { rig: [command('echo first; echo second >&2'), command('echo third')] })],
        done,
      )
      const told = await scene.run()
      const outputs = (events: readonly JournaledEvent[]) =>
        events.flatMap(event => (event.type === 'rig.output' ? [event.data] : []))
      expect(outputs(told)).toEqual(
        expect.arrayContaining([
          { codonId: 'a', operation: 0, stream: 'stdout', text: expect.stringContaining('first') },
          { codonId: 'a', operation: 0, stream: 'stderr', text: expect.stringContaining('second') },
          { codonId: 'a', operation: 1, stream: 'stdout', text: expect.stringContaining('third') },
        ]),
      )
      const extensions = (events: readonly JournaledEvent[]) =>
        events.filter(({ type }) => eventTable[type].category === 'extension')
      const types = new Set(extensions(told).map(({ type }) => type))
      expect([...types]).toEqual(expect.arrayContaining(['run.started', 'rig.output', 'run.completed']))
      expect(extensions(await journalOf(scene))).toEqual(expect.arrayContaining([...extensions(told)]))
      const log = readFileSync(scene.layout.serverLog, 'utf8')
      for (const word of ['first', 'second', 'third']) expect(log).toContain(word)
    },
  )

  verifies(
    ['2.3/rig-setup-failure', '2.4/allow-failure-true'],
    'that fails keeps the agent from starting, unless the operation may fail',
    async () => {
      const asked: string[] = []
      const scene = await createScene(
        [
          codonPlan('allowed', { rig: [{ ...command('exit 3'), allowFailure: true }] }),
          codonPlan('strict', { rig: [command('exit 3')] }),
        ],
        codonId => {
          asked.push(codonId)
          return done()
        },
      )
      const events = await scene.run()
      expect(asked).toEqual(['allowed'])
      expect(failureIn(events)).toMatch(/Rig operation 1 failed/)
    },
  )
})

describe('outputs', () => {
  verifies(
    ['2.4/output-copy-failure-fails-run', '2.4/before-copy-failure-fails-run', '9/release-0.9.0'],
    'that cannot be copied or prepared fail the run, whatever onFailure says',
    async () => {
      const failing = {
        'a link out of the workspace': [{ copy: ['*'] }],
        'exit 4': [{ copy: ['*.md'], beforeCopy: [command('exit 4')] }],
      }
      for (const [what, outputFiles] of Object.entries(failing)) {
        const scene = await createScene(
          [
            keeping('a', { onFailure: 'ignore', outputFiles, rig: [command('ln -s /etc/hostname out')] }),
            keeping('b'),
          ],
          done,
        )
        const events = await scene.run()
        expect(startedIn(events), what).toEqual(['a'])
        expect((await scene.state()).run, what).toMatchObject({
          status: 'failed',
          codons: [{ status: 'failed' }],
        })
      }
    },
  )
})

describe('an archive', () => {
  verifies(
    ['2.3/archive-moves-after-success', '2.3/archive-not-after-failure', '2.10/not-in-path-fields'],
    'takes what a codon that did well leaves, by patterns that are read as they are written',
    async () => {
      const archiveOnSuccess = ['draft.*', '<%AGENT_ROOT%>/kept.md']
      const scene = await createScene(
        [codonPlan('good', { archiveOnSuccess }), codonPlan('bad', { archiveOnSuccess: ['half.*'] })],
        codonId =>
          codonId === 'good'
            ? [
                { write: 'draft.md', content: 'x' },
                { write: 'kept.md', content: 'x' },
                { write: '<%AGENT_ROOT%>/kept.md', content: 'x' },
              ]
            : [
                { write: 'half.md', content: 'x' },
                { fail: 'bad luck', retriable: false },
              ],
      )
      await scene.run()
      expect(Object.keys(scene.files())).toEqual(['half.md', 'kept.md'])
      const archived = readdirSync(scene.layout.rigArchive, { recursive: true, encoding: 'utf8' }).sort()
      expect(archived).toEqual(expect.arrayContaining(['good/draft.md', 'good/<%AGENT_ROOT%>/kept.md']))
      expect(archived.filter(name => name.startsWith('bad'))).toEqual([])
    },
  )
})

describe('an execution on the disk', () => {
  verifies(
    [
      'd3/agent-root',
      'd3/state-file',
      'd3/journal-directory',
      'd3/session-log',
      'd3/server-log',
      'd3/lock-only-while-alive',
      'd1/product-names',
    ],
    'has its files where they belong, and a lock only while a server lives',
    async () => {
      const long = 'x'.repeat(5_000)
      let cwd = ''
      const scene = await createScene([keeping('a')], (_, spec) => {
        cwd = spec.cwd
        spec.onRaw({ type: 'greeting', text: 'hello' })
        spec.onRaw({ type: 'parting' })
        return [{ say: long }, { write: 'deep/file.md', content: 'x' }, { hang: true }]
      })
      const { layout } = scene
      await scene.run(async running => {
        await running.until('assistant.action')
        expect(existsSync(join(scene.dir, '.weave/lock.json'))).toBe(true)
        await running.send({ type: 'codon.skip', data: {} })
        await running.until('codon.completed')
        running.shutdown()
      })
      expect(existsSync(join(scene.dir, '.weave/lock.json'))).toBe(false)
      expect(cwd).toBe(join(scene.dir, 'agentRoot'))
      const gitDir = join(scene.dir, '.weave/checkpoints')
      const { run, state } = await scene.state()
      const branch = `run-${run?.runId}`
      const names = execFileSync('git', ['--git-dir', gitDir, 'ls-tree', '-r', '--name-only', branch])
      expect(names.toString()).toBe('deep/file.md\n')
      expect(JSON.parse(readFileSync(join(scene.dir, '.weave/state.json'), 'utf8'))).toMatchObject({
        body: {
          state: { runs: [{ runId: state.runs[0]?.runId, codons: [{ codonId: 'a', status: 'skipped' }] }] },
        },
      })
      const journal = readdirSync(join(scene.dir, '.weave/journal'))
      expect(journal).toEqual(expect.arrayContaining(['blobs', expect.stringMatching(/^events-.*\.jsonl$/)]))
      const session = readFileSync(join(scene.dir, '.weave/sessions', run?.runId ?? '', 'a.jsonl'), 'utf8')
      expect(
        session
          .trimEnd()
          .split('\n')
          .map(line => JSON.parse(line) as unknown),
      ).toEqual([{ type: 'greeting', text: 'hello' }, { type: 'parting' }])
      expect(layout.serverLog).toBe(join(scene.dir, '.weave/logs/server.log'))
      expect(readFileSync(layout.serverLog, 'utf8')).not.toBe('')
      writeFileSync(join(scene.dir, '.weave/state.json'), 'torn')
      expect((await scene.state()).state).toEqual(state)
    },
  )
})
