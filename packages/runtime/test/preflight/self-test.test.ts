import { EventEmitter, once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { systemClock } from '../../src/kit/index.ts'
import { isCodon } from '../../src/preflight/model-use.ts'
import { checkModels } from '../../src/preflight/preflight.ts'
import { selfTest } from '../../src/preflight/self-test.ts'
import { at, check, codon, outcomes, printed, registry, secret } from './fixture.ts'
import { content, hangs, type Responder, says, startProvider } from './provider-server.ts'

describe('in parallel', () => {
  verifies(['d8a/self-test-parallel'], 'the tests wait for no other', async () => {
    const waiting: (() => void)[] = []
    const respond: Responder = (received, response) => {
      waiting.push(() => content(received, response))
      if (waiting.length === 3) for (const go of waiting) go()
    }
    const server = await startProvider(respond)
    const uses = [codon('opus'), codon('gpt-6'), codon('gemini-4')]
    const { results } = await check(uses, { environment: at(server.origin) })
    expect(results.map(one => one.outcome)).toEqual(['ok', 'ok', 'ok'])
  })

  it('there are at most eight at a time, and results keep the order of the codons', async () => {
    const server = await startProvider(content)
    let open = 0
    let most = 0
    const servable = async () => {
      most = Math.max(most, ++open)
      await new Promise(resolve => setImmediate(resolve))
      open--
      return true
    }
    const uses = Array.from({ length: 20 }, (_, number) => codon(`many-${number}`))
    const { results } = await check(uses, { environment: at(server.origin), servable })
    expect(results.map(one => one.identity)).toEqual(uses.map(({ name }) => `embedded:openai/${name}`))
    expect([server.received.length, most]).toEqual([20, 8])
  })
})

describe('the time limit', () => {
  verifies(
    ['d8a/self-test-timeout', 'd8a/failure-network'],
    'a provider that keeps silent for 10 s failed as network',
    async () => {
      const clock = createTestClock()
      const server = await startProvider(hangs)
      const running = check([codon('opus')], { environment: at(server.origin), clock })
      let isOver = false
      void running.then(() => {
        isOver = true
      })
      await server.until(1)
      await clock.advance(9_999)
      expect(isOver).toBe(false)
      await clock.advance(1)
      const result = await running
      expect(printed(result)).toEqual([
        'error: hank[0].model: Codon 1 (c1): Self-test of sdk:anthropic/claude-opus-5-5 failed (network): ' +
          `${server.host} (from ANTHROPIC_BASE_URL) did not answer within 10 s. ` +
          'Check your connection, proxy and firewall, and check the address in ANTHROPIC_BASE_URL.',
      ])
      expect(result.results).toMatchObject([{ asked: true, durationMs: 10_000 }])
    },
  )

  it('leaves no request and no timer behind', async () => {
    const clock = createTestClock()
    const connection = new EventEmitter()
    const cut = once(connection, 'cut')
    const server = await startProvider(
      (_received, response) => void response.on('close', () => connection.emit('cut')),
    )
    const running = check([codon('opus')], { environment: at(server.origin), clock })
    await server.until(1)
    await clock.advance(10_000)
    await running
    await cut
    const quick = await startProvider(content)
    await check([codon('opus')], { environment: at(quick.origin), clock })
    expect(clock.sleepers()).toBe(0)
  })

  it('holds for an answer that begins and does not end', async () => {
    const clock = createTestClock()
    const server = await startProvider((_received, response) => void response.writeHead(200).write('{'))
    const running = check([codon('opus')], { environment: at(server.origin), clock })
    await server.until(1)
    await clock.advance(10_000)
    expect(Object.values(outcomes(await running))).toEqual(['network'])
  })

  it('holds over all tries, and the last answer is what is told', async () => {
    const clock = createTestClock()
    let times = 0
    const server = await startProvider((received, response) =>
      (++times === 1 ? says(503, { message: 'later' }) : hangs)(received, response),
    )
    const running = check([codon('opus')], { environment: at(server.origin), clock })
    await clock.untilSleepers(2)
    await clock.advance(500)
    await server.until(2)
    await clock.advance(9_500)
    const result = await running
    expect(printed(result)[0]).toContain('gave no usable answer (status 503: "later")')
    expect(result.results).toMatchObject([{ outcome: 'unknown', durationMs: 10_000 }])
  })

  it('holds for a harness that does not come', async () => {
    const clock = createTestClock()
    const harnessAvailable = () => new Promise<never>(() => undefined)
    const environment = at('http://127.0.0.1:1')
    const running = check([codon('opus')], { environment, clock, harnessAvailable })
    await clock.untilSleepers(1)
    await clock.advance(10_000)
    const result = await running
    expect(result.results).toMatchObject([{ outcome: 'unknown', asked: false }])
    expect(printed(result)[0]).toContain('The harness was not ready within 10 s.')
  })
})

describe('what is checked before the request', () => {
  verifies(
    ['d8a/failure-missing-harness', 'd8a/self-test-harness'],
    'a harness that cannot be loaded failed as missing-harness, with the line that installs it',
    async () => {
      const server = await startProvider(content)
      const asked: string[] = []
      const harnessAvailable = (harness: string) => {
        asked.push(harness)
        return Promise.resolve(
          harness === 'sdk'
            ? ({ ok: false, message: 'The SDK is not installed.', cure: 'weave harness add it' } as const)
            : ({ ok: true } as const),
        )
      }
      const uses = [codon('opus'), codon('haiku'), codon('gpt-6')]
      const result = await check(uses, { environment: at(server.origin), harnessAvailable })
      expect(printed(result)[0]).toBe(
        'error: hank[0].model: Codon 1 (c1): Self-test of sdk:anthropic/claude-opus-5-5 failed (missing-harness): ' +
          'The SDK is not installed. Install it: weave harness add it',
      )
      expect(Object.values(outcomes(result))).toEqual(['missing-harness', 'missing-harness', 'ok'])
      expect(asked).toEqual(['sdk', 'embedded'])
      expect(server.received.map(one => one.path)).toEqual(['/v1/models/gpt-6'])
    },
  )

  verifies(
    ['d8a/self-test-credential'],
    'a key that is not there failed as auth, also without the step before',
    async () => {
      const { resolved } = await checkModels([codon('opus')], registry)
      const { problems, results } = await selfTest(resolved.filter(isCodon), {
        environments: { codon: {}, sentinel: {} },
        clock: systemClock,
        harnessAvailable: () => Promise.resolve({ ok: true }),
        servable: () => true,
        skipRequest: false,
      })
      expect(results).toMatchObject([{ outcome: 'auth', asked: false }])
      expect(problems[0]?.message).toContain(
        'There is no key for anthropic. Check the key in ANTHROPIC_API_KEY or VENDOR_API_KEY',
      )
    },
  )

  it.each(['with\nline-break', 'schlüssel-ж-key'])(
    'a key that fits no header (%j) failed as auth and is not repeated',
    async key => {
      const server = await startProvider(content)
      const result = await check([codon('gpt-6')], {
        environment: at(server.origin, { OPENAI_API_KEY: key }),
      })
      expect(Object.values(outcomes(result))).toEqual(['auth'])
      expect(printed(result)[0]).toContain('OPENAI_API_KEY holds letters that no key has.')
      expect(printed(result).join()).not.toContain(key.slice(-4))
      expect(server.received).toEqual([])
    },
  )

  it('blanks around a key do not matter', async () => {
    const server = await startProvider(content)
    const environment = at(server.origin, { OPENAI_API_KEY: ` ${secret}\n` })
    expect(Object.values(outcomes(await check([codon('gpt-6')], { environment })))).toEqual(['ok'])
    expect(server.received[0]?.headers.authorization).toBe(`Bearer ${secret}`)
  })

  it.each([
    ['http://user:pa55word@127.0.0.1:1', 'has a user, a password'],
    ['http://127.0.0.1:1/v1?key=pa55word', 'has a user, a password'],
    ['pa55word', 'OPENAI_BASE_URL is not an http or https address.'],
  ])('an address that cannot be asked (%s) failed as network and is not repeated', async (address, words) => {
    const result = await check([codon('gpt-6')], { environment: at('', { OPENAI_BASE_URL: address }) })
    expect(Object.values(outcomes(result))).toEqual(['network'])
    expect(printed(result)[0]).toContain(words)
    expect(printed(result)[0]).not.toContain('pa55word')
  })

  it('a provider whose address nobody knows failed as network', async () => {
    const environment = { MY_HOST_API_KEY: secret }
    const result = await check([codon('my-host/own-model')], { environment, skipSelfTest: true })
    expect(printed(result)[0]).toContain(
      '(network): The address of my-host is not known; set MY_HOST_BASE_URL.',
    )
  })

  it('a hook that breaks its promise failed as unknown, without its secrets', async () => {
    const harnessAvailable = () => Promise.reject(new Error(`cannot read ${secret}`))
    const result = await check([codon('opus')], { environment: at('http://127.0.0.1:1'), harnessAvailable })
    expect(printed(result)[0]).toContain('The test itself failed (Error: cannot read [redacted:')
  })
})
