import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { startWebhookServer } from '../../../../test/support/webhook-server.ts'
import { isAlive, systemClock } from '../../src/kit/index.ts'
import type { NotifyTarget } from '../../src/notify/config.ts'
import type { Channel, OpenedChannel } from '../../src/notify/deliver.ts'
import { bodyOf, type Notice } from '../../src/notify/notice.ts'
import { openCommand, openDesktop } from '../../src/notify/programs.ts'
import { parseNotifyFile } from '../../src/notify/read-file.ts'
import { ringOf } from '../../src/notify/ring.ts'
import { TargetQueue } from '../../src/notify/target-queue.ts'
import { openWebhook } from '../../src/notify/webhook.ts'

const notice: Notice = {
  id: 'evt_1',
  seq: 1,
  type: 'gate.waiting',
  timestamp: '2026-01-01T00:00:00.000Z',
  gateId: 'plan-ok',
  message: 'Read <plan.md> & decide; $(touch x) "@everyone"',
  cost: 0.5,
  durationMs: 1_000,
}
const body = bodyOf(notice, { execution: 'guide-1', hank: 'Guide für alle' })
const forEver = new AbortController().signal

function used(opened: OpenedChannel): Channel {
  if (!opened.ok) throw new Error(opened.message)
  return opened.channel
}

describe('a webhook', () => {
  verifies(['notify/webhook-signed'], 'is verified by the library of the standard', async () => {
    const server = await startWebhookServer()
    const secret = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`
    const target = {
      type: 'webhook',
      url: server.url,
      secretEnv: 'HOOK',
      headersEnv: { authorization: 'AUTH' },
    } as const
    const environment = { HOOK: secret, AUTH: 'Bearer me' }
    const channel = used(openWebhook(target, environment, systemClock))
    expect(await channel.deliver(notice, body, forEver)).toEqual({ ok: true })
    const [received] = server.received
    expect(received?.headers).toMatchObject({ 'webhook-id': 'evt_1', authorization: 'Bearer me' })
    const headers = received?.headers as Record<string, string>
    expect(new Webhook(secret).verify(received?.body ?? '', headers)).toEqual(body)
    const other = new Webhook(`whsec_${Buffer.from('another secret of some b').toString('base64')}`)
    expect(() => other.verify(received?.body ?? '', headers)).toThrow()
    expect(openWebhook(target, {}, systemClock)).toMatchObject({
      ok: false,
      message: 'the variable HOOK is not set',
    })
    expect(openWebhook(target, { HOOK: '…', AUTH: 'x' }, systemClock)).toMatchObject({ ok: false })
  })

  verifies(['notify/webhook-formats'], 'speaks as slack, discord and ntfy read it', async () => {
    const server = await startWebhookServer()
    for (const format of ['slack', 'discord', 'ntfy'] as const)
      await used(openWebhook({ type: 'webhook', url: server.url, format }, {}, systemClock)).deliver(
        notice,
        body,
        forEver,
      )
    const [slack, discord, ntfy] = server.received
    expect(JSON.parse(slack?.body ?? '')).toEqual({
      text: expect.stringMatching(/^\*Guide für alle waits for you\*\nRead &lt;plan.md&gt; &amp; decide/),
    })
    expect(JSON.parse(discord?.body ?? '')).toMatchObject({
      content: expect.stringContaining('gate plan-ok'),
      allowed_mentions: { parse: [] },
    })
    expect(ntfy?.body).toContain('Read <plan.md> & decide')
    expect(ntfy?.headers['title']).toBe(
      `=?UTF-8?B?${Buffer.from('Guide für alle waits for you').toString('base64')}?=`,
    )
  })

  verifies(
    ['notify/webhook-tries'],
    'is tried again after 5 s, 30 s and 2 min where that may help',
    async () => {
      const answers = [503, 429, 408, 204]
      const server = await startWebhookServer(count => answers[count - 1] ?? 204)
      const clock = createTestClock()
      const done: string[] = []
      const channel = used(openWebhook({ type: 'webhook', url: server.url }, {}, systemClock))
      const queue = new TargetQueue({
        channel,
        clock,
        bodyOf: () => body,
        done: ({ id }) => done.push(id),
        failed: message => done.push(message),
      })
      queue.put(notice)
      for (const [at, delay] of [5_000, 30_000, 120_000].entries()) {
        await server.until(at + 1)
        await clock.untilSleepers(1)
        expect(server.received).toHaveLength(at + 1)
        await clock.advance(delay - 1)
        expect(clock.sleepers()).toBe(1)
        await clock.advance(1)
      }
      await server.until(4)
      await queue.close(60_000)
      expect(done).toEqual(['evt_1'])
      expect(new Set(server.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    },
  )

  verifies(
    ['notify/webhook-tries'],
    'is not tried again after another answer, and goes nowhere else',
    async () => {
      for (const [status, words] of [
        [301, 'it answered 301, and redirects are not followed'],
        [404, 'it answered 404'],
      ] as const) {
        const server = await startWebhookServer(() => status)
        const channel = used(openWebhook({ type: 'webhook', url: server.url }, {}, systemClock))
        expect(await channel.deliver(notice, body, forEver)).toEqual({
          ok: false,
          message: words,
          retriable: false,
        })
        expect(server.received.map(({ path }) => path)).toEqual(['/hook'])
      }
      const gone = used(openWebhook({ type: 'webhook', url: 'http://127.0.0.1:9/x' }, {}, systemClock))
      expect(await gone.deliver(notice, body, forEver)).toMatchObject({ ok: false, retriable: true })
    },
  )
})

describe('programs', () => {
  verifies(
    ['notify/command'],
    'get JSON on stdin and two variables; no shell reads their words',
    async () => {
      const dir = await tempDir()
      const file = join(dir, 'told')
      const script = `process.stdin.on('data', d => require('fs').appendFileSync(${JSON.stringify(file)}, process.env.WEAVE_NOTIFY_TYPE + ' ' + process.env.WEAVE_NOTIFY_EXECUTION + ' ' + process.argv[1] + ' ' + d))`
      const run = [process.execPath, '-e', script, '$(touch x)']
      const channel = used(openCommand({ type: 'command', run }, { PATH: process.env['PATH'] }))
      expect(await channel.deliver(notice, body, forEver)).toEqual({ ok: true })
      expect(readFileSync(file, 'utf8')).toBe(`gate.waiting guide-1 $(touch x) ${JSON.stringify(body)}`)
      const bad = used(
        openCommand({ type: 'command', run: ['sh', '-c', 'echo no >&2; exit 3'] }, process.env),
      )
      expect(await bad.deliver(notice, body, forEver)).toEqual({
        ok: false,
        message: 'it ended with 3: no',
        retriable: false,
      })
    },
  )

  verifies(['notify/command'], 'are ended with their group when their time is up', async () => {
    const dir = await tempDir()
    const pidFile = join(dir, 'pid')
    const run = ['sh', '-c', `sleep 60 & echo $! > ${pidFile}; wait`]
    const channel = used(openCommand({ type: 'command', run, timeoutSeconds: 1 }, process.env))
    expect(await channel.deliver(notice, body, forEver)).toMatchObject({
      ok: false,
      message: 'no end within 1 s',
    })
    expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false)
  })

  verifies(
    ['notify/desktop'],
    'of the desktop get words as arguments; one that is missing is named',
    async () => {
      const dir = await tempDir()
      const shim = `#!/bin/sh\nprintf '<%s>\\n' "$@" > "${dir}/args"\n`
      writeFileSync(join(dir, 'notify-send'), shim, { mode: 0o755 })
      const environment = { PATH: `${dir}:${process.env['PATH']}` }
      const channel = used(openDesktop({ platform: 'linux', environment, isThere: () => true }))
      expect(await channel.deliver(notice, body, forEver)).toEqual({ ok: true })
      expect(readFileSync(join(dir, 'args'), 'utf8')).toBe(
        '<--app-name=weave>\n<-->\n<Guide für alle waits for you>\n<Read <plan.md> & decide; $(touch x) "@everyone"\ngate plan-ok · $0.50 · guide-1>\n',
      )
      expect(openDesktop({ platform: 'linux', environment, isThere: () => false })).toEqual({
        ok: false,
        name: 'desktop',
        message: 'notify-send is not installed',
      })
      for (const platform of ['darwin', 'win32'])
        expect(openDesktop({ platform, environment, isThere: () => true }).ok).toBe(true)
    },
  )
})

describe('a terminal', () => {
  verifies(
    ['notify/terminal'],
    'is rung, told by OSC 9 or 99, wrapped for tmux, and never given a control character',
    () => {
      const hostile = bodyOf(
        { ...notice, message: 'a\u001b]0;x\u0007b\nc' },
        { execution: 'e', hank: 'h\u009b' },
      )
      const words = 'h  waits for you: a ]0;x b c gate plan-ok · $0.50 · e'
      const plain = ringOf(hostile, { environment: { TERM: 'xterm' }, passes: true })
      expect(plain).toBe(`\u0007\u001b]9;${words}\u001b\\`)
      expect(ringOf(hostile, { environment: { TERM: 'xterm-kitty' }, passes: true })).toMatch(
        /^\u0007\u001b\]99;i=weave:d=0:p=title;h {2}waits for you\u001b\\\u001b\]99;i=weave:d=1:p=body;[^\u001b]*\u001b\\$/,
      )
      const tmux = { TERM: 'tmux-256color', TMUX: '/tmp/t' }
      expect(ringOf(hostile, { environment: tmux, passes: true })).toBe(
        `\u0007\u001bPtmux;\u001b\u001b]9;${words}\u001b\u001b\\\u001b\\`,
      )
      expect(ringOf(hostile, { environment: tmux, passes: false })).toBe('\u0007')
    },
  )
})

describe('notify.json', () => {
  verifies(
    ['notify/strict', 'notify/webhook-address'],
    'takes what it knows and names what it does not',
    async () => {
      const problemsOf = async (target: object): Promise<readonly string[]> => {
        const bytes = Buffer.from(JSON.stringify({ targets: [target] }, null, 2))
        const { config, problems } = await parseNotifyFile(bytes, 'notify.json')
        expect(config === undefined).toBe(problems.length > 0)
        return problems.map(({ where, message }) => `${where}: ${message}`)
      }
      const good: readonly NotifyTarget[] = [
        { type: 'desktop' },
        { type: 'terminal', on: ['run.ended'], hanks: ['guide*'] },
        {
          type: 'webhook',
          url: 'https://example.test/x',
          secretEnv: 'A',
          format: 'slack',
          headersEnv: { 'X-A': 'B' },
        },
        { type: 'webhook', url: 'http://localhost:1/x' },
        { type: 'command', run: ['x'], timeoutSeconds: 60 },
      ]
      for (const target of good) expect(await problemsOf(target)).toEqual([])
      const bad: readonly object[] = [
        { type: 'webhook', url: 'http://example.test/x' },
        { type: 'webhook', url: 'https://me:word@example.test/' },
        { type: 'webhook', url: 'ftp://localhost/' },
        { type: 'webhook', url: 'https://a.test', secret: 'x' },
        { type: 'command', run: [] },
        { type: 'command', run: ['x'], timeoutSeconds: 61 },
        { type: 'desktop', on: ['run.begun'] },
        { type: 'pigeon' },
        {},
      ]
      for (const target of bad) expect(await problemsOf(target), JSON.stringify(target)).not.toEqual([])
      const many = Buffer.from(
        JSON.stringify({ targets: Array.from({ length: 11 }, () => ({ type: 'desktop' })) }),
      )
      expect((await parseNotifyFile(many, 'n')).config).toBeUndefined()
    },
  )
})
