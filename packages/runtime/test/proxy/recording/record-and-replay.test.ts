import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../../../../test/support/temp-dir.ts'
import type { CodonMark } from '../../../src/proxy/index.ts'
import {
  ask,
  events,
  recordingProxy,
  replayingProxy,
  saying,
  textOf,
  upstreamWith,
} from './recorded-traffic.ts'

const linesOf = (directory: string) =>
  readFileSync(join(directory, 'exchanges.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Readonly<Record<string, unknown>>)

describe('what was recorded', () => {
  it('answers again, byte for byte after decoding, with status and the headers that matter', async () => {
    const directory = join(await tempDir(), 'new/recording')
    const bodies = new Map<string, (text: string) => Buffer>([
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
    ])
    const upstream = await upstreamWith((body, response) => {
      const [, coding = ''] = /"content":"(\w*)"/.exec(body) ?? []
      const encode = bodies.get(coding)
      if (encode) response.setHeader('content-encoding', coding)
      response.setHeader('set-cookie', 'session=1')
      response.setHeader('anthropic-ratelimit-requests-remaining', '7')
      response.writeHead(coding === 'slow' ? 429 : 200, { 'retry-after': '3', 'content-type': 'text/x-mine' })
      const text = `ü ${coding}`
      response.end(encode ? encode(text) : text)
    })
    const recording = await recordingProxy(upstream, directory)
    const words = ['gzip', 'br', 'plain', 'slow']
    for (const word of words) await ask(recording.url, saying(word))
    await recording.done()

    const { url } = await replayingProxy(directory)
    for (const word of words) {
      const answer = await ask(url, saying(word))
      expect(answer.text).toBe(`ü ${word}`)
      expect(answer.status).toBe(word === 'slow' ? 429 : 200)
      expect(answer.headers.get('retry-after')).toBe('3')
      expect(answer.headers.get('content-type')).toBe('text/x-mine')
      expect(answer.headers.get('anthropic-ratelimit-requests-remaining')).toBe('7')
      expect(answer.headers.get('set-cookie')).toBe(null)
    }
    expect(linesOf(directory).map(({ contentEncoding }) => contentEncoding)).toEqual([
      'gzip',
      'br',
      undefined,
      undefined,
      undefined,
    ])
  })

  it('has codon, attempt and turn, is whole, and is for the eyes of its owner', async () => {
    const directory = join(await tempDir(), 'recording')
    const upstream = await upstreamWith((_body, response) => void response.end('same'))
    let codon: CodonMark = { codonId: 'draft', attempt: 1 }
    const recording = await recordingProxy(upstream, directory, { codon: () => codon })
    await ask(recording.url, saying('one'))
    codon = { codonId: 'draft', attempt: 2 }
    await ask(recording.url, saying('one'))
    codon = { codonId: 'review#0', attempt: 1 }
    await ask(recording.url, saying('one'))
    await recording.done()
    const lines = linesOf(directory)
    expect(lines).toMatchObject([
      {
        codonId: 'draft',
        attempt: 1,
        turn: 1,
        method: 'POST',
        path: '/v1/messages?beta=true',
        ending: 'complete',
      },
      { codonId: 'draft', attempt: 2, turn: 2 },
      { codonId: 'review#0', attempt: 1, turn: 1 },
      { exchanges: 3 },
    ])
    expect(new Set(lines.slice(0, 3).flatMap(({ request, body }) => [request, body])).size).toBe(2)
    expect(readdirSync(join(directory, 'bodies')).length).toBe(2)
    for (const path of [
      'recording.json',
      'exchanges.jsonl',
      ...readdirSync(join(directory, 'bodies')).map(name => `bodies/${name}`),
    ])
      expect(statSync(join(directory, path)).mode & 0o777).toBe(0o600)
  })

  it('holds no key and no secret, also of one that came in many small pieces', async () => {
    const directory = join(await tempDir(), 'recording')
    const secret = 'correct-horse-battery-staple'
    const pieces = ['It is ', ...(secret.match(/.{1,3}/g) ?? []), ', I think.']
    const upstream = await upstreamWith((_body, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req-${secret}` })
      response.end(events(pieces))
    })
    const place = { secrets: [{ name: 'MY_TOKEN', value: secret }] }
    const recording = await recordingProxy(upstream, directory, place)
    const asked = saying(`the tool said ${secret}`)
    const live = await ask(recording.url, asked, { authorization: 'Bearer other-key-5678' })
    expect(textOf(live.text)).toContain(secret)
    await recording.done()
    const files = [
      'recording.json',
      'exchanges.jsonl',
      ...readdirSync(join(directory, 'bodies')).map(name => `bodies/${name}`),
    ]
    for (const file of files) {
      const text = readFileSync(join(directory, file), 'utf8')
      expect(text).not.toMatch(/horse|staple|a-key-of-mine|other-key/)
      expect(textOf(file.startsWith('bodies') && text.startsWith('event') ? text : '')).not.toContain('att')
    }
    const { url } = await replayingProxy(directory, {
      secrets: [{ name: 'MY_TOKEN', value: 'another-value-of-it' }],
    })
    const again = await ask(url, saying('the tool said another-value-of-it'))
    expect(textOf(again.text)).toBe('It is [redacted:MY_TOKEN], I think.')
  })

  it('speaks of the execution in which it is replayed, also where the path came in pieces', async () => {
    const directory = join(await tempDir(), 'recording')
    const there = '/srv/executions/first-1'
    const here = '/srv/elsewhere/other "2"'
    const upstream = await upstreamWith((_body, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(events(['Look into /srv/exe', 'cutions/fir', 'st-1/agentRoot, not into ', `${there}0.`]))
    })
    const recording = await recordingProxy(upstream, directory, { executionDir: there })
    await ask(recording.url, saying(`I work in ${there}/agentRoot.`))
    await recording.done()
    const { url } = await replayingProxy(directory, { executionDir: here })
    const answer = await ask(url, saying(`I work in ${here}/agentRoot.`))
    expect(textOf(answer.text)).toBe(`Look into ${here}/agentRoot, not into ${there}0.`)
  })

  it('breaks off where it was broken off, and is silent where the caller left', async () => {
    const directory = join(await tempDir(), 'recording')
    let left: Promise<unknown> = Promise.resolve()
    const upstream = await upstreamWith((body, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: "half"\n\n', () => {
        if (body.includes('broken')) response.destroy()
        if (body.includes('whole')) response.end()
      })
      left = once(response, 'close')
    })
    const half = async (url: string, word: string): Promise<string> => {
      const leaving = new AbortController()
      const answer = await fetch(`${url}/v1/messages`, {
        method: 'POST',
        body: JSON.stringify(saying(word)),
        signal: leaving.signal,
      })
      let text = ''
      try {
        for await (const piece of answer.body ?? []) {
          text += Buffer.from(piece as Uint8Array).toString('utf8')
          if (word === 'left') leaving.abort()
        }
        return `${text} whole`
      } catch {
        return text
      }
    }
    const recording = await recordingProxy(upstream, directory)
    expect(await half(recording.url, 'broken')).toBe('data: "half"\n\n')
    expect(await half(recording.url, 'left')).toBe('data: "half"\n\n')
    await left
    await ask(recording.url, saying('whole'))
    await recording.done()
    expect(linesOf(directory)).toMatchObject([
      { ending: 'upstream-failed' },
      { ending: 'caller-left' },
      { ending: 'complete' },
      { exchanges: 3 },
    ])

    const { url } = await replayingProxy(directory)
    expect(await half(url, 'broken')).toBe('data: "half"\n\n')
    const leaving = new AbortController()
    const { body } = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify(saying('left')),
      signal: leaving.signal,
    })
    const reader = body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: "half"\n\n')
    let isOver = false
    const over = reader?.read().then(
      () => (isOver = true),
      () => (isOver = true),
    )
    // Whoever answers this one would have ended the other by now.
    expect((await ask(url, saying('whole'))).text).toBe('data: "half"\n\n')
    expect(isOver).toBe(false)
    leaving.abort()
    await over
  })

  it('has no body where there is none', async () => {
    const directory = join(await tempDir(), 'recording')
    const upstream = await upstreamWith((_body, response, { method }) => {
      response.writeHead(method === 'DELETE' ? 204 : 200, method === 'HEAD' ? { 'content-length': '5' } : {})
      response.end()
    })
    const recording = await recordingProxy(upstream, directory)
    const methods = ['HEAD', 'DELETE', 'GET']
    for (const method of methods) await fetch(`${recording.url}/api/hello`, { method })
    await recording.done()
    const { url } = await replayingProxy(directory)
    for (const method of methods) {
      const answer = await fetch(`${url}/api/hello`, { method })
      expect(answer.status).toBe(method === 'DELETE' ? 204 : 200)
      expect(await answer.text()).toBe('')
    }
  })
})

it('asks for no answer in a coding that it cannot read while it records', async () => {
  const directory = join(await tempDir(), 'recording')
  const upstream = await upstreamWith(
    (_body, response, { headers }) => void response.end(headers['accept-encoding']),
  )
  const recording = await recordingProxy(upstream, directory)
  const codings = ['gzip, deflate, br, zstd', 'zstd;q=1, br;q=0.5', 'zstd', '*']
  const answers: string[] = []
  for (const coding of codings)
    answers.push((await ask(recording.url, saying('x'), { 'accept-encoding': coding })).text)
  await recording.done()
  expect(answers).toEqual(['gzip, deflate, br', 'br;q=0.5', 'identity', 'identity'])
})

describe('a request that was not recorded', () => {
  const recordedOnce = async (...words: readonly string[]) => {
    const directory = join(await tempDir(), 'recording')
    const upstream = await upstreamWith((_body, response) => void response.end('"answer"'))
    const recording = await recordingProxy(upstream, directory)
    for (const word of words) await ask(recording.url, saying(word))
    await recording.done()
    return replayingProxy(directory)
  }

  it('is refused with codon, turn, field and both excerpts, and so is all that follows in this codon', async () => {
    const { url, refusalOf, replay } = await recordedOnce('first', `${'long '.repeat(30)}second`)
    expect((await ask(url, saying('first'))).status).toBe(200)
    const refused = await ask(url, saying(`${'long '.repeat(30)}sekond`))
    expect(refused.status).toBe(400)
    const { error } = JSON.parse(refused.text) as { readonly error: { readonly message: string } }
    expect(error.message).toMatch(
      /^Codon draft, turn 2: the request is not the recorded one\. body\.messages\[0\]\.content: recorded …"[^"]*second", now …"[^"]*sekond"$/,
    )
    expect((await ask(url, saying(`${'long '.repeat(30)}second`))).text).toBe(refused.text)
    expect(await refusalOf('draft')).toBe(error.message)
    expect(refusalOf('draft')).toBe(undefined)
    expect(await replay.refusals.all()).toEqual([error.message])
  })

  it('is refused when it is one more, or of a codon that was not there', async () => {
    const { url, refusalOf } = await recordedOnce('first')
    await ask(url, saying('first'))
    expect((await ask(url, saying('first'))).text).toMatch(
      /Codon draft, turn 2: the recording in \S+ has only 1 request of it/,
    )
    await refusalOf('draft')
  })

  it('is refused when it comes out of order, unless both were under way at the same time', async () => {
    const { url } = await recordedOnce('first', 'second')
    expect((await ask(url, saying('second'))).text).toMatch(/recorded \\"first\\", now \\"second\\"/)

    const directory = join(await tempDir(), 'recording')
    const waiting: (() => void)[] = []
    const upstream = await upstreamWith((body, response) => {
      waiting.push(() => response.end(body.includes('one') ? '"1"' : '"2"'))
      if (waiting.length === 2) for (const go of waiting) go()
    })
    const recording = await recordingProxy(upstream, directory)
    await Promise.all([ask(recording.url, saying('one')), ask(recording.url, saying('two'))])
    await recording.done()
    for (const order of [
      ['one', 'two'],
      ['two', 'one'],
    ]) {
      const replaying = await replayingProxy(directory)
      const answers: string[] = []
      for (const word of order) answers.push((await ask(replaying.url, saying(word))).text)
      expect(answers).toEqual(order.map(word => (word === 'one' ? '"1"' : '"2"')))
      expect(replaying.replay.matcher.left()).toEqual([])
    }
  })

  it('differs by a header that changes the meaning of the body, and by no other', async () => {
    const { url } = await recordedOnce('first', 'second')
    expect((await ask(url, saying('first'), { 'x-request-nr': '7' })).status).toBe(200)
    expect((await ask(url, saying('second'), { 'anthropic-beta': 'x' })).text).toContain(
      'headers.anthropic-beta: recorded nothing, now \\"x\\"',
    )
  })
})

it('a recording whose disk refuses says so once and has no end', async () => {
  const directory = join(await tempDir(), 'recording')
  const upstream = await upstreamWith((_body, response) => void response.end('ok'))
  const recording = await recordingProxy(upstream, directory)
  writeFileSync(join(directory, 'bodies'), 'a file in the way')
  expect((await ask(recording.url, saying('one'))).text).toBe('ok')
  expect((await ask(recording.url, saying('two'))).text).toBe('ok')
  await recording.done()
  expect(recording.failures).toEqual([expect.stringContaining('cannot be written')])
})
