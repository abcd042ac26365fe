import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolder, loop } from '../support/hank-folder.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { treeDigest } from '../support/tree-digest.ts'
import { scriptedWeave } from '../support/weave-command.ts'
import { ask, hubRecord, openHub, readerOf, trade } from '../support/web-hub.ts'

beforeAll(scriptedWeave, 120_000)

const hank = [codon('plan'), loop('rounds', [codon('draft')]), codon('end')]

function numbersIn(bytes: Buffer): readonly number[] {
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readUInt32LE(at * 4))
}

interface Named {
  readonly sha: string
}

async function ended(): Promise<HankFolder> {
  const at = await hankFolder(hank, {}, { inMemory: true })
  const { status, stderr } = await at.scripted('--headless')
  expect(status, stderr).toBe(0)
  return at
}

describe('weave web', () => {
  verifies(
    ['web/hub', 'web/sessions'],
    'writes its record for its owner alone, is found by the next one, and leaves nothing behind',
    async () => {
      const at = await ended()
      const hub = await openHub(at)
      const record = join(at.env['HOME'] ?? '', '.weave/web.json')
      expect(statSync(record).mode & 0o777).toBe(0o600)
      expect(hub.base).toBe(at.executionsDir)
      const second = at.weave('web', '--no-open')
      expect([second.status, second.stderr]).toEqual([
        0,
        expect.stringContaining(`A hub runs already: http://127.0.0.1:${hub.port}`),
      ])
      const elsewhere = at.weave('web', '--no-open', '--base', at.cwd)
      expect([elsewhere.status, elsewhere.stderr]).toEqual([1, expect.stringContaining('end it first: kill')])
      expect((await hub.read('executions', '/api/executions')).executions).toHaveLength(1)
      expect(await hub.run.kill('SIGINT')).toBe(0)
      expect(existsSync(record)).toBe(false)
      const again = await openHub(at)
      const { status } = await ask(again.port, '/api/executions', { session: hub.session })
      expect(status).toBe(401)
    },
    60_000,
  )

  verifies(
    ['web/hub'],
    'ends when it is asked to, also while its first list is being read',
    async () => {
      const at = await ended()
      const run = at.start('web', '--no-open', '--port', '0')
      await run.until('It ends with')
      const asked = performance.now()
      expect(await run.kill('SIGINT')).toBe(0)
      // The rest of a reader that nobody asks is a minute.
      expect(performance.now() - asked).toBeLessThan(30_000)
    },
    90_000,
  )

  verifies(
    ['web/port'],
    'takes another port when its own is taken',
    async () => {
      const at = await ended()
      const port = await listenOnLoopback(createServer())
      const run = at.start('web', '--port', String(port), '--no-open')
      await run.until('It ends with')
      expect(run.said()).toContain(`Port ${port} is taken by another program`)
      expect(hubRecord(at).port).not.toBe(port)
    },
    60_000,
  )

  verifies(
    ['web/open', 'web/no-trace'],
    'is started by weave open, which says how to get in from elsewhere or calls a browser without a shell',
    async () => {
      const at = await ended()
      const name = basename(at.execution())
      const remote = at.with({ SSH_CONNECTION: '1.2.3.4 5 6.7.8.9 22', SSH_TTY: '/dev/pts/1' })
      const opened = remote.weave('open')
      expect([opened.status, opened.stderr], opened.stderr).toEqual([
        0,
        expect.stringMatching(/ssh -L (\d+):localhost:\1 /),
      ])
      const hub = hubRecord(at)
      try {
        expect(opened.stdout.trim()).toMatch(
          new RegExp(`^http://127\\.0\\.0\\.1:${hub.port}/e/${name}#key=[\\w-]{43}$`),
        )
        const session = await trade(hub.port, opened.stdout.trim().split('#key=')[1] ?? '')
        expect((await ask(hub.port, `/api/e/${name}`, { session })).status).toBe(200)
        at.write({ browser: '#!/bin/sh\nprintf "%s\\n" "$@" > "$(dirname "$0")/called"\n' })
        const browsing = at.with({ BROWSER: `/bin/sh ${at.path('browser')} --new;touch=x %s` })
        expect(browsing.weave('open', name).stdout).toBe('')
        await expect
          .poll(() => existsSync(at.path('called')) && readFileSync(at.path('called'), 'utf8'))
          .toMatch(/^--new;touch=x\nhttp:\/\/127\.0\.0\.1:\d+\/e\/.*#key=[\w-]{43}\n$/)
        const key = readFileSync(at.path('called'), 'utf8').trim().split('#key=')[1] ?? ''
        for (const secret of [session, key]) expect(filesWith(at.env['HOME'] ?? '', secret)).toEqual([])
        expect(filesWith(at.env['HOME'] ?? '', hub.ownerKey)).toEqual(['.weave/web.json'])
      } finally {
        process.kill(hub.pid, 'SIGINT')
      }
    },
    60_000,
  )
})

/** Files below a directory that hold a text. */
function filesWith(dir: string, text: string): readonly string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(name => {
    const path = join(dir, name)
    return statSync(path, { throwIfNoEntry: false })?.isFile() && readFileSync(path).includes(text)
  })
}

describe('a run', () => {
  verifies(
    ['web/run'],
    'answers pages of itself with --web and of nothing else, and asks for WebSocket without it',
    async () => {
      const at = await hankFolder(hank)
      const run = await at.serve('--no-autostart', '--keep-alive', '--headless', '--web')
      const said = await run.until('Dashboard ')
      expect(said).toMatch(/Clients {4}ws:.*\nDashboard {2}http:/)
      const key = /#key=([\w-]{43})/.exec(said)?.[1] ?? ''
      const lock = JSON.parse(readFileSync(join(run.dir, '.weave/lock.json'), 'utf8')) as object
      expect(lock).toMatchObject({ web: true })
      const session = await trade(run.port, key)
      const { read, get } = readerOf(run.port, session)
      expect(await read('hello', '/api/hello')).toMatchObject({ product: 'weave', hub: false })
      const list = await read('executions', '/api/executions')
      expect(list.executions).toMatchObject([{ name: basename(run.dir), live: true, status: 'running' }])
      expect((await get('/api/e/other')).status).toBe(404)
      expect((await get('/')).headers['content-type']).toContain('text/html')
      await run.kill('SIGTERM')
      const plain = await at.serve('--no-autostart', '--keep-alive', '--headless')
      expect((await ask(plain.port, '/api/hello')).status).toBe(426)
    },
    60_000,
  )
})

describe('the read API', () => {
  verifies(
    [
      'web/list',
      'web/head',
      'web/events',
      'web/find',
      'web/spans',
      'web/series',
      'web/versions',
      'web/accounts',
      'web/errors',
      'web/reads-only',
    ],
    'tells everything of an execution that has ended, and leaves it as it was',
    async () => {
      const at = await ended()
      const name = basename(at.execution())
      const listedRows = JSON.parse(at.weave('checkpoints', '--json').stdout) as readonly Named[]
      const told: unknown = JSON.parse(at.weave('report', '--costs', '--json').stdout)
      const before = treeDigest(at.execution())
      const hub = await openHub(at)
      const list = await hub.read('executions', '/api/executions')
      expect(list.executions).toMatchObject([
        { name, status: 'completed', live: false, codonsDone: 4, codons: 4, warnings: 0, breaches: 0 },
      ])
      const head = await hub.read('head', `/api/e/${name}`)
      expect(head).toMatchObject({ status: 'completed', notes: [], runs: [{ status: 'completed' }] })
      expect(head.outline?.items.map(({ kind, id }) => [kind, id])).toEqual([
        ['codon', 'plan'],
        ['loop', 'rounds'],
        ['codon', 'end'],
      ])
      expect(head.runs[0]?.attempts.map(({ codonId }) => codonId)).toEqual([
        'plan',
        'draft#0',
        'draft#1',
        'end',
      ])
      expect(head.settings.length).toBeGreaterThan(5)

      const all = at.events()
      const page = await hub.read('events', `/api/e/${name}/events?after=3&limit=4`)
      expect(page.events.map(({ seq, type }) => [seq, type])).toEqual(
        all.slice(3, 7).map(({ seq, type }) => [seq, type]),
      )
      expect(page).toMatchObject({ lastSeq: all.length, isWhole: true, damage: [] })
      const last = await hub.read('events', `/api/e/${name}/events?before=${all.length + 1}&limit=2`)
      expect(last.events.map(({ seq }) => seq)).toEqual([all.length - 1, all.length])
      const beyond = await hub.read('events', `/api/e/${name}/events?after=${all.length + 9}`)
      expect(beyond.events).toEqual([])

      const types = numbersIn((await hub.get(`/api/e/${name}/find?type=codon.started,codon.completed`)).bytes)
      const wanted = all.filter(({ type }) => type === 'codon.started' || type === 'codon.completed')
      expect(types).toEqual(wanted.map(({ seq }) => seq))
      const ofDraft = numbersIn((await hub.get(`/api/e/${name}/find?codon=draft&type=codon.started`)).bytes)
      expect(ofDraft).toHaveLength(2)
      const said = numbersIn((await hub.get(`/api/e/${name}/find?text=WORK+ON+DRAFT`)).bytes)
      expect(said.length).toBeGreaterThan(0)
      expect(numbersIn((await hub.get(`/api/e/${name}/find?failed=1`)).bytes)).toEqual([])

      const spans = await hub.read('spans', `/api/e/${name}/spans?codon=draft`)
      expect(spans.attempts.map(({ codonId }) => codonId)).toEqual(['draft#0', 'draft#1'])
      for (const { spans: own } of spans.attempts) {
        expect(own.map(([, , kind]) => kind)).toEqual(expect.arrayContaining(['rig', 'agent']))
        for (const [from, to] of own) expect(to).toBeGreaterThanOrEqual(from)
      }
      const series = await hub.read('series', `/api/e/${name}/series?of=cost&points=10`)
      expect(series.points.at(-1)?.[2]).toBe(head.totals.cost)
      expect(series.points.length).toBeLessThanOrEqual(10)

      const { checkpoints } = await hub.read('checkpoints', `/api/e/${name}/checkpoints`)
      expect(checkpoints.map(({ sha }) => sha)).toEqual(listedRows.map(({ sha }) => sha))
      const diff = await hub.read('diff', `/api/e/${name}/diff?from=start&to=end&path=plan.md`)
      expect(diff.files).toMatchObject([{ path: 'plan.md', status: 'added' }])
      expect(diff.patch?.text).toContain('+++ b/plan.md')
      const file = await hub.get(`/api/e/${name}/file?at=end&path=plan.md`)
      expect(file.headers).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'content-disposition': "attachment; filename*=UTF-8''plan.md",
      })
      expect(file.text).toBe(at.read('plan.md'))
      const preview = await hub.read('preview', `/api/e/${name}/preview?to=plan`)
      expect(preview).toMatchObject({
        by: 'trees',
        delete: expect.arrayContaining(['end.md']) as unknown,
        undone: ['end', 'draft#1', 'draft#0'],
        next: { codonId: 'draft#0' },
      })

      const costs = await hub.read('costs', `/api/e/${name}/costs`)
      expect(costs).toEqual(told)
      expect((await hub.read('sentinels', `/api/e/${name}/sentinels`)).items).toEqual([])
      const same = await hub.read('compare', `/api/compare?a=${name}&b=${name}`)
      expect(same).toMatchObject({ same: true, relation: 'same execution' })
      const report = await hub.get(`/api/e/${name}/report`)
      expect(report.headers['content-disposition']).toContain('attachment')
      expect(report.text).toContain('<!-- weave report -->')

      for (const [path, status, code] of [
        ['/api/e/nothing', 404, 'NOT_FOUND'],
        ['/api/e/..%2f..', 404, 'NOT_FOUND'],
        ['/api/e/%ff', 404, 'NOT_FOUND'],
        [`/api/e/${name}/nothing`, 404, 'NOT_FOUND'],
        [`/api/e/${name}/events?limit=501`, 400, 'BAD_REQUEST'],
        [`/api/e/${name}/events?after=-1`, 400, 'BAD_REQUEST'],
        [`/api/e/${name}/series?of=love`, 400, 'BAD_REQUEST'],
        [`/api/e/${name}/diff?from=nowhere`, 404, 'NOT_FOUND'],
        [`/api/e/${name}/file?at=end&path=../../lock.json`, 404, 'NOT_FOUND'],
        ['/api/executions?wait=31', 400, 'BAD_REQUEST'],
      ] as const) {
        const answer = await hub.get(path)
        expect([path, answer.status, (JSON.parse(answer.text) as { error: string }).error]).toEqual([
          path,
          status,
          code,
        ])
      }
      const put = await ask(hub.port, '/api/executions', { method: 'DELETE', session: hub.session })
      expect([put.status, JSON.parse(put.text)]).toMatchObject([405, { error: 'METHOD_NOT_ALLOWED' }])
      expect(treeDigest(at.execution())).toBe(before)
    },
    90_000,
  )

  verifies(
    ['web/list', 'web/head', 'web/spans'],
    'shows where a run waits for a person',
    async () => {
      const gates = [{ id: 'ask', before: 'two', message: 'Well?' }]
      const at = await hankFolder([codon('one'), codon('two')], { 'weave.json': { gates } })
      expect((await at.scripted('--headless', '--on-gate', 'exit')).status).toBe(3)
      const hub = await openHub(at)
      const { executions } = await hub.read('executions', '/api/executions')
      expect(executions).toMatchObject([{ status: 'stopped', live: false, codonsDone: 1 }])
      expect(executions[0]?.waits?.gate).toBe('ask')
      // The server wrote down what a list wants to know; without that it is found in the journal.
      const state = at.execution('.weave/state.json')
      expect(readFileSync(state, 'utf8')).toMatch(/"said":\{"warnings":\d+,"question":".*,"codons":2\}/)
      rmSync(state)
      expect((await hub.read('executions', '/api/executions')).executions).toEqual(executions)
      const name = basename(at.execution())
      const head = await hub.read('head', `/api/e/${name}`)
      expect(head.gates).toMatchObject({
        planned: [{ id: 'ask', before: 'two' }],
        waiting: { gateId: 'ask', message: 'Well?', next: 'two' },
      })
      const { attempts } = await hub.read('spans', `/api/e/${name}/spans`)
      expect(attempts[0]?.spans.map(([, , kind]) => kind)).toContain('waiting')
    },
    60_000,
  )

  verifies(
    ['web/events', 'web/head', 'web/list'],
    'shows what is left of a damaged journal, and of an execution that cannot say what it is',
    async () => {
      const at = await ended()
      const journal = at.execution('.weave/journal/events-000000000001.jsonl')
      const lines = readFileSync(journal, 'utf8').split('\n')
      const hub = await openHub(at)
      const name = basename(at.execution())
      appendFileSync(journal, 'no line of ours\n')
      const text = lines.map((line, at) => (at === 5 ? line.replace('"seq":6', '"seq":7') : line)).join('\n')
      at.write({ [`home/.weave-executions/${name}/.weave/journal/events-000000000001.jsonl`]: text })
      at.write({ 'home/.weave-executions/broken/.weave/execution.json': '{' })
      const page = await hub.read('events', `/api/e/${name}/events?limit=10`)
      expect(page.damage).toMatchObject([{ kind: 'damaged', count: 1 }])
      expect(page.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 7, 8, 9, 10])
      expect((await hub.read('head', `/api/e/${name}`)).notes).toHaveLength(1)
      const { executions } = await hub.read('executions', '/api/executions')
      expect(executions.map(({ name: each, status }) => [each, status])).toEqual([
        [name, 'completed'],
        ['broken', 'unreadable'],
      ])
      expect((await hub.get('/api/e/broken')).status).toBe(409)
    },
    60_000,
  )
})

describe('the list', () => {
  verifies(
    ['web/list'],
    'answers a long poll when a run comes and when it goes',
    async () => {
      const at = await hankFolder(hank)
      const hub = await openHub(at)
      const empty = await hub.read('executions', '/api/executions')
      expect(empty.executions).toEqual([])
      const waiting = hub.read('executions', `/api/executions?wait=30&since=${empty.etag}`)
      const run = await at.serve()
      const { etag, executions } = await waiting
      expect(executions).toMatchObject([{ name: basename(run.dir) }])
      const still = await hub.read('executions', `/api/executions?wait=2&since=${etag}`)
      expect(still.executions[0]?.live).toBe(true)
      // Whoever is killed says nothing.
      await run.kill('SIGKILL')
      const next = await hub.read('executions', `/api/executions?wait=30&since=${still.etag}`)
      expect(next.executions).toMatchObject([{ live: false }])
    },
    90_000,
  )
})
