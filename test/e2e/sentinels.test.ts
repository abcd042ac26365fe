import { readFileSync } from 'node:fs'
import { describe, expect, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { connect, type EventType, type ServerEvent } from '../../packages/client/src/index.ts'
import { events as table } from '../../packages/protocol/src/index.ts'
import { verifies } from '../conformance/verifies.ts'
import {
  type HankFolder,
  hankFolder,
  jsonLines,
  lightAgents,
  lightCodon,
  sentinel,
  bash as shell,
} from '../support/hank-folder.ts'
import { portOf, steer } from '../support/steering-client.ts'

const narrator = (id: string, fields: object = {}) =>
  sentinel(id, 'tool.result', {
    userPromptText: 'What was that? <%= it.events[0].data.toolName %>',
    ...fields,
  })

const place = (
  sentinels: readonly object[],
  steps: readonly object[],
  outputs: Readonly<Record<string, readonly string[]>> = { loud: ['first', 'second'], quiet: ['unheard'] },
) =>
  hankFolder([lightCodon('a', { sentinels })], {
    'weave.json': lightAgents,
    'rehearsal.json': { codons: { a: steps }, sentinels: outputs },
  })

/** The data of the events of one type, as the command prints the journal. */
const journaled = (at: HankFolder, type: string) =>
  jsonLines(at.weave('journal', '--json', '--type', type).stdout).map(({ data }) => data)

function spokenBy({ data }: { readonly data: unknown }): string {
  return (data as { readonly sentinelId: string }).sentinelId
}

const bash = shell('true')
const broken = { userPromptText: '<%= it.events[0].data.nothing.here %>' }
const quiet = { lifecycle: false, errors: false, outputs: false, triggers: false }

describe('sentinels of a run', () => {
  verifies(
    [
      '1/sentinels-observe-in-parallel',
      '2.5/report-fields',
      '2.5/report-lifecycle',
      '2.5/report-errors',
      '2.5/report-outputs',
      '2.5/report-triggers',
      '6/sentinel-journaled',
      '6/sentinel-broadcast',
      '6/sentinel-triggered-usually-disabled',
      '4.1/history-sync',
      'd14/history-27',
      'd14/history-extensions',
      'd14/history-hidden-live-only',
      'd14/total-events-own',
      'd14/handshake-last-seq',
    ],
    'watch while the agent works; clients hear what is reported, the journal has it all and gives it to whoever asks',
    async () => {
      const at = await place(
        [
          { sentinelConfig: narrator('loud') },
          { sentinelConfig: narrator('quiet'), settings: { reportToWebsocket: quiet } },
          {
            sentinelConfig: narrator('talkative', { reportToWebsocket: { triggers: true, outputs: false } }),
          },
          { sentinelConfig: narrator('broken', { ...broken, reportToWebsocket: { lifecycle: false } }) },
          { sentinelConfig: narrator('ashamed', broken), settings: { reportToWebsocket: quiet } },
        ],
        [bash, bash, { say: 'Done.' }],
      )
      const server = at.start('rehearse', '--no-autostart', '--keep-alive')
      await server.until('Clients')
      const { client, events, until } = await steer(at.execution(), { mode: 'readandwrite' })
      await client.send('codon.next')
      await until('server.idle', 0, ({ data }) => data.reason === 'all-codons-completed')
      const heard = (type: string) => events.filter(event => event.type === type).map(spokenBy)
      expect(new Set(heard('sentinel.loaded'))).toEqual(new Set(['loud', 'talkative']))
      expect(heard('sentinel.output')).toEqual(['loud', 'loud'])
      expect(heard('sentinel.error')).toEqual(['broken', 'broken'])
      expect(new Set(heard('sentinel.triggered'))).toEqual(new Set(['talkative']))
      expect(new Set(heard('sentinel.unloaded'))).toEqual(new Set(['loud', 'talkative']))
      const all = jsonLines<{ readonly seq: number; readonly type: EventType }>(
        at.weave('journal', '--json').stdout,
      )
      for (const extensions of [[], ['weave']]) {
        const late = connect(`ws://127.0.0.1:${portOf(at.execution())}`, {
          mode: 'readonly',
          extensions,
          socket: WebSocket,
          reconnect: false,
        })
        onTestFinished(() => late.close())
        const mine = all.filter(({ type }) => extensions.length > 0 || table[type].category !== 'extension')
        expect(await late.opened).toMatchObject({
          ok: true,
          totalEvents: mine.length,
          journalSeq: all.length,
        })
        const past: ServerEvent[] = []
        for await (const batch of late.history()) if (batch.ok) past.push(...batch.events)
        expect(past.map(({ seq }) => seq)).toEqual(mine.map(({ seq }) => seq))
        const speakers = past.filter(({ type }) => type.startsWith('sentinel.')).map(spokenBy)
        expect(new Set(speakers)).toEqual(new Set(['loud', 'quiet', 'talkative', 'broken', 'ashamed']))
      }
      expect(await server.kill('SIGTERM')).toBe(0)
      expect(journaled(at, 'sentinel.output').map(({ content }) => content)).toEqual(
        expect.arrayContaining(['first', 'second', 'unheard', 'unheard']),
      )
      expect(journaled(at, 'sentinel.triggered')).toHaveLength(10)
      expect(journaled(at, 'sentinel.error').map(({ sentinelId }) => sentinelId)).toEqual(
        expect.arrayContaining(['broken', 'ashamed']),
      )
    },
    60_000,
  )

  verifies(
    ['d14/sentinel-follow-ups-trigger-nothing', 'd10/sentinel-events-ignored', 'd14/template-dates'],
    'that listen to everything are quiet while the agent is, and trying one out afterwards tells the same',
    async () => {
      const observer = narrator('loud', {
        trigger: { type: 'event', on: ['*'] },
        userPromptText: [
          '<%= it.events[0].type %> <%= it.events[0].data.transitionType %>',
          'Running for: <%= (it.world.currentTime - it.codon.startTime) / 1000 %>s since <%= it.codon.startTime %>',
        ].join('\n'),
      })
      const sleeping = shell('sleep 4')
      const at = await place([{ sentinelConfig: 'loud.json' }], [sleeping, { say: 'Done.' }])
      at.write({ 'loud.json': observer })
      const began = Date.now()
      expect(at.rehearse('--headless').status).toBe(0)
      // The end of a codon waits a minute for a sentinel that is never done.
      expect(Date.now() - began).toBeLessThan(60_000)
      const caused = journaled(at, 'state.transition').filter(
        ({ transitionType }) => transitionType === 'SentinelStatesUpdated',
      ).length
      const ofOthers = at.events().filter(({ type }) => !type.startsWith('sentinel.')).length
      const triggered = journaled(at, 'sentinel.triggered').length
      expect(triggered).toBeGreaterThan(5)
      expect(triggered).toBeLessThanOrEqual(ofOthers - caused)
      const tried = at.weave('sentinel', 'test', 'loud.json', '--dry').stdout
      expect(tried).toContain('prompt  codon.completed')
      expect(tried).toMatch(/Running for: [4-9]\.\d+s since \d{4}-\d\d-\d\dT[\d:.]+Z\n/)
      expect(tried).not.toMatch(/prompt {2}(sentinel\.|state\.transition SentinelStatesUpdated)/)
    },
    120_000,
  )

  verifies(
    [
      'd14/sentinel-prompt-file-list',
      'd14/sentinel-schema-str',
      'd14/sentinel-output-format-default',
      'd14/sentinel-output-beside-structured',
      'd14/health-check-owner',
    ],
    'take lists of prompt files, a schema as text and files without a format; the health check is on the first account',
    async () => {
      const schema = { type: 'object', properties: { level: { type: 'integer' } }, required: ['level'] }
      const asked = { userPromptText: undefined, userPromptFile: ['one.md', 'two.md'] }
      const at = await place(
        [
          { sentinelConfig: narrator('loud', { ...asked, output: { file: 'loud.txt' } }) },
          {
            sentinelConfig: narrator('quiet', {
              structuredOutput: { output: 'object', schemaStr: JSON.stringify(schema) },
              output: { file: 'levels.jsonl', lastValueFile: 'level.json' },
            }),
          },
        ],
        [bash, { say: 'Done.' }],
        { loud: ['first'], quiet: ['{"level":3}'] },
      )
      at.write({ 'one.md': 'One.\n', 'two.md': 'Two.\n' })
      expect(at.rehearse('--headless')).toMatchObject({ status: 0 })
      const written = (id: string, name: string) =>
        readFileSync(at.execution('.weave/sentinels', id, name), 'utf8')
      // The health check took none of its outputs.
      expect(written('loud', 'loud.txt')).toBe('first')
      expect([written('quiet', 'levels.jsonl'), written('quiet', 'level.json')]).toEqual(
        Array(2).fill('{"level":3}\n'),
      )
      expect(
        journaled(at, 'sentinel.unloaded').map(({ sentinelId, llmCallCount }) => [sentinelId, llmCallCount]),
      ).toEqual([
        ['loud', 2],
        ['quiet', 1],
      ])
      const code = narrator('quiet', { structuredOutput: { output: 'object', schemaStr: 'z.object({})' } })
      const bad = await place([{ sentinelConfig: code }], [bash])
      const refused = bad.weave('--validate')
      expect(refused.status).toBe(1)
      expect(refused.stdout + refused.stderr).toContain('schemaStr: is not JSON. Write a JSON Schema as text')
    },
    60_000,
  )

  verifies(
    ['3/sentinel-unloaded-shutdown'],
    'are unloaded with the server',
    async () => {
      const at = await place([{ sentinelConfig: narrator('loud') }], [shell('sleep 60')])
      const server = at.start('rehearse')
      await server.until('Bash {')
      expect(await server.kill('SIGTERM')).toBe(143)
      expect(journaled(at, 'sentinel.unloaded')).toMatchObject([{ sentinelId: 'loud', reason: 'shutdown' }])
    },
    60_000,
  )

  verifies(
    ['2.5/fail-codon-true'],
    'fail their codon when it cannot do without them, before its agent has spent anything',
    async () => {
      const at = await place(
        [
          {
            sentinelConfig: narrator('loud', { userPromptText: undefined, userPromptFile: 'gone.md' }),
            settings: { failCodonIfNotLoaded: true },
          },
        ],
        [{ say: 'Done.' }],
      )
      at.write({ 'gone.md': 'Say something.' })
      // Read anew at every start of a codon, so it can be lost between the checks and the codon.
      const server = at.start('rehearse', '--no-autostart', '--keep-alive')
      await server.until('Clients')
      const { client, until } = await steer(at.execution())
      at.write({ 'gone.md': '<% while (' })
      await client.send('codon.next')
      const { data } = await until('codon.completed')
      expect(data).toMatchObject({
        success: false,
        cost: 0,
        failureReason: { type: 'sentinel-load-failure', retriable: false },
      })
      await server.ended
      expect(readFileSync(at.execution('.weave/logs/server.log'), 'utf8')).toContain('loud')
    },
    60_000,
  )
})
