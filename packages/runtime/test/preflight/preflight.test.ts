import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { at, check, codon, outcomes, printed, registry, secret, sentinel } from './fixture.ts'
import { content, hangs, says, startProvider } from './provider-server.ts'

const opus = 'sdk:anthropic/claude-opus-5-5'
const gpt = 'embedded:openai/gpt-6'

describe('models', () => {
  verifies(
    ['2.12/validated-at-load', '7.3/load-unknown-model', 'd10/model', '2.3/model-unrecognized-suggestions'],
    'every use of a name that the registry does not have is an error, of sentinels too',
    async () => {
      const result = await check([
        codon('claude-opus-5-6'),
        codon('opus', { number: 2 }),
        codon('claude-opus-5-6', { number: 3 }),
        sentinel('gpt-66'),
      ])
      expect(printed(result)).toEqual([
        'error: hank[0].model: Codon 1 (c1): Unknown model "claude-opus-5-6". Did you mean claude-opus-5-5? Run "weave models" for the list.',
        'error: hank[2].model: Codon 3 (c3): Unknown model "claude-opus-5-6". Did you mean claude-opus-5-5? Run "weave models" for the list.',
        expect.stringContaining(
          'error: hank[0].sentinels[0]: Sentinel s of Codon 1 (c1): Unknown model "gpt-66". Did you mean gpt-6',
        ),
      ])
    },
  )

  it('are given back once for each identity, those of sentinels too', async () => {
    const uses = [codon('opus'), codon('claude-opus-5-5', { number: 2 }), sentinel('gpt-6')]
    const { models } = await check(uses, { environment: at('http://127.0.0.1:1'), skipSelfTest: true })
    expect(models.map(one => one.identity)).toEqual([opus, gpt])
    expect(models[0]).toMatchObject({ ...registry.find('anthropic', 'claude-opus-5-5'), harness: 'sdk' })
  })
})

describe('credentials', () => {
  it('that are missing are told once for each provider, with all codons and the variables to set', async () => {
    const result = await check([
      codon('gemini-4'),
      codon('gpt-6', { number: 2 }),
      codon('gpt-6-mini', { number: 3 }),
      codon('opus', { number: 4 }),
    ])
    expect(printed(result)).toEqual([
      'error: hank[0].model: Codon 1 (c1): No key for google. Set GEMINI_API_KEY or GOOGLE_API_KEY.',
      'error: hank[1].model: Codon 2 (c2), Codon 3 (c3): No key for openai. Set OPENAI_API_KEY.',
      'error: hank[3].model: Codon 4 (c4): No key for anthropic. Set ANTHROPIC_API_KEY or VENDOR_API_KEY.',
    ])
  })

  it('that a sentinel lacks are a warning, and an error where its codon cannot do without', async () => {
    const missing = 'Set WEAVE_SENTINEL_OPENAI_API_KEY or OPENAI_API_KEY.'
    const spare = sentinel('gpt-6')
    const needed = sentinel('gpt-6', { label: 'Sentinel t', failCodonIfNotLoaded: true })
    expect(printed(await check([spare]))).toEqual([
      `warning: hank[0].sentinels[0]: Sentinel s of Codon 1 (c1): No key for openai, without which a sentinel is not loaded. ${missing}`,
    ])
    expect(printed(await check([spare, needed]))).toEqual([
      `warning: hank[0].sentinels[0]: Sentinel s of Codon 1 (c1): No key for openai, without which a sentinel is not loaded. ${missing}`,
      `error: hank[0].sentinels[0]: Sentinel t: No key for openai, without which failCodonIfNotLoaded fails the codon. ${missing}`,
    ])
  })

  verifies(
    ['5/sentinel-keys', '5/sentinel-key-fallback'],
    'of a sentinel are its own or the standard ones; of a codon only the standard ones',
    async () => {
      const own = { WEAVE_SENTINEL_OPENAI_API_KEY: secret }
      expect(printed(await check([sentinel('gpt-6')], { environment: own }))).toEqual([])
      const standard = { OPENAI_API_KEY: secret }
      expect(printed(await check([sentinel('gpt-6')], { environment: standard }))).toEqual([])
      expect(printed(await check([codon('gpt-6')], { environment: own }))).toEqual([
        'error: hank[0].model: Codon 1 (c1): No key for openai. Set OPENAI_API_KEY.',
      ])
    },
  )

  it('of sentinels are those of the server, and of codons those that reach an agent', async () => {
    const environments = { codon: { OPENAI_API_KEY: secret }, sentinel: { GEMINI_API_KEY: secret } }
    const uses = [codon('gpt-6'), codon('gemini-4', { number: 2 }), sentinel('gpt-6'), sentinel('gemini-4')]
    expect(printed(await check(uses, { environments }))).toEqual([
      expect.stringContaining('Codon 2 (c2): No key for google.'),
      expect.stringContaining('Sentinel s of Codon 1 (c1): No key for openai'),
    ])
  })

  it('may come from the hank, for that codon alone', async () => {
    const server = await startProvider(content)
    const environment = { OPENAI_API_KEY: 'of-the-hank', OPENAI_BASE_URL: server.origin }
    const uses = [codon('gpt-6', { environment }), codon('gpt-6-mini', { number: 2 })]
    expect(printed(await check(uses))).toEqual([
      'error: hank[1].model: Codon 2 (c2): No key for openai. Set OPENAI_API_KEY.',
    ])
    expect(outcomes(await check(uses.slice(0, 1)))).toEqual({ [gpt]: 'ok' })
    expect(server.received.map(one => one.headers.authorization)).toEqual(['Bearer of-the-hank'])
  })
})

describe('the order of the steps', () => {
  verifies(
    ['d8a/order-stops'],
    'a step runs only when the ones before it found no error, so nothing is asked before',
    async () => {
      const server = await startProvider(content)
      const asked: string[] = []
      const harnessAvailable = (harness: string) => {
        asked.push(harness)
        return Promise.resolve({ ok: true } as const)
      }
      const environment = at(server.origin, { OPENAI_API_KEY: undefined })
      const unknown = codon('gpt-7', { number: 2 })
      const keyless = codon('gpt-6', { number: 3 })
      const good = codon('opus')

      const first = await check([good, unknown, keyless], { environment, harnessAvailable })
      expect(printed(first)).toEqual([expect.stringContaining('Codon 2 (c2): Unknown model "gpt-7"')])
      const second = await check([good, keyless], { environment, harnessAvailable })
      expect(printed(second)).toEqual([expect.stringContaining('Codon 3 (c3): No key for openai.')])
      expect([first.results, second.results]).toEqual([[], []])
      expect([asked, server.received]).toEqual([[], []])

      const third = await check([good], { environment, harnessAvailable })
      expect(printed(third)).toEqual([])
      expect([asked, server.received.length]).toEqual([['sdk'], 1])
    },
  )

  verifies(['d8a/reports-all'], 'each step tells all it finds', async () => {
    const server = await startProvider(says(401, {}))
    const all = [codon('opus'), codon('gpt-6', { number: 2 }), codon('gemini-4', { number: 3 })]
    expect((await check([codon('a'), codon('b'), codon('c')])).problems).toHaveLength(3)
    expect((await check(all)).problems).toHaveLength(3)
    expect((await check(all, { environment: at(server.origin) })).problems).toHaveLength(3)
  })

  it('does not let a warning stop anything, and keeps it', async () => {
    const server = await startProvider(content)
    const environment = at(server.origin, { OPENAI_API_KEY: undefined })
    const result = await check([codon('opus'), sentinel('gpt-6')], { environment })
    expect(result.problems.map(one => one.severity)).toEqual(['warning'])
    expect(outcomes(result)).toEqual({ [opus]: 'ok' })
  })
})

describe('self-tests', () => {
  verifies(
    ['2.12/self-test-once-per-identity', 'd8a/self-test-distinct'],
    'are made once for each identity, not for each codon or name',
    async () => {
      const server = await startProvider(content)
      const uses = [
        codon('opus'),
        codon('claude-opus-5-5', { number: 2 }),
        codon('anthropic/claude-opus-5-5', { number: 3 }),
        codon('haiku', { number: 4 }),
        codon('pi/anthropic/claude-opus-5-5', { number: 5 }),
        sentinel('gpt-6'),
      ]
      const result = await check(uses, { environment: at(server.origin) })
      expect(outcomes(result)).toEqual({
        [opus]: 'ok',
        'sdk:anthropic/claude-haiku-5-5': 'ok',
        'embedded:anthropic/claude-opus-5-5': 'ok',
      })
      expect(server.received).toHaveLength(3)
    },
  )

  verifies(
    ['7.3/load-failed-self-test', '7.3/load-failed-self-test-guidance'],
    'that fail are errors with guidance, which name every codon of the identity',
    async () => {
      const server = await startProvider(says(404, { error: { message: 'no such model' } }))
      const uses = [codon('gpt-6'), codon('gpt-6', { number: 2 })]
      expect(printed(await check(uses, { environment: at(server.origin) }))).toEqual([
        `error: hank[0].model: Codon 1 (c1), Codon 2 (c2): Self-test of ${gpt} failed (model): ` +
          `${server.host} (from OPENAI_BASE_URL) does not know the model, or not for this key (status 404: "no such model"). ` +
          'Choose a model that is served there ("weave models" lists those that are known), and check the address in OPENAI_BASE_URL.',
      ])
    },
  )

  verifies(
    ['codes/labels'],
    'that fail for very many codons name the first five and count the others',
    async () => {
      const uses = Array.from({ length: 2_000 }, (_, at) => codon('gpt-6', { number: at + 1 }))
      const [line = ''] = printed(await check(uses))
      expect(line).toMatch(/: Codon 1 \(c1\), .*, Codon 5 \(c5\) and 1,995 more: No key for openai/)
      expect(line).not.toContain('Codon 6')
      const six = printed(await check(uses.slice(0, 6)))
      expect(six[0]).toContain('Codon 5 (c5) and 1 more: No key')
      expect(printed(await check(uses.slice(0, 5)))[0]).toContain('Codon 5 (c5): No key')
    },
  )

  verifies(
    ['d8a/flag-skip-self-test'],
    'that are skipped send nothing, while models, keys, harness and catalogue are checked',
    async () => {
      const server = await startProvider(content)
      const environment = at(server.origin)
      const skip = { environment, skipSelfTest: true } as const
      const uses = [codon('opus'), codon('gpt-6', { number: 2 })]
      const passed = await check(uses, skip)
      expect(printed(passed)).toEqual([])
      expect(passed.results).toMatchObject([
        { identity: opus, outcome: 'ok', asked: false },
        { identity: gpt, outcome: 'ok', asked: false },
      ])
      expect(printed(await check([codon('gpt-7')], skip))).toEqual([expect.stringContaining('Unknown model')])
      expect(printed(await check(uses, { skipSelfTest: true }))).toHaveLength(2)
      const none = { ok: false, message: 'It is not installed.', cure: 'install it' } as const
      const nothing = await check(uses, { ...skip, harnessAvailable: () => Promise.resolve(none) })
      expect(printed(nothing).map(line => line.slice(0, 9))).toEqual(['warning: ', 'warning: '])
      expect(outcomes(nothing)).toEqual({
        [opus]: 'missing-harness',
        [gpt]: 'missing-harness',
      })
      expect(outcomes(await check(uses, { ...skip, servable: () => false }))).toEqual({
        [opus]: 'ok',
        [gpt]: 'model',
      })
      expect(server.received).toEqual([])
    },
  )

  it('end at once, with the reason, when the caller gives up', async () => {
    const server = await startProvider(hangs)
    const caller = new AbortController()
    const running = check([codon('opus')], { environment: at(server.origin), signal: caller.signal })
    await server.until(1)
    caller.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
    let looks = 0
    const harnessAvailable = () => {
      looks++
      return Promise.resolve({ ok: true } as const)
    }
    const late = check([codon('opus')], {
      environment: at(server.origin),
      signal: caller.signal,
      harnessAvailable,
    })
    await expect(late).rejects.toThrow('enough')
    expect([looks, server.received.length]).toEqual([0, 1])
  })
})

describe('the catalogue', () => {
  verifies(
    ['7.3/load-failed-catalog-preflight'],
    'refuses a model that the registry knows and the embedded SDK does not, before the provider is asked',
    async () => {
      const server = await startProvider(content)
      const seen: string[] = []
      const servable = (provider: string, id: string) => {
        seen.push(`${provider}/${id}`)
        return Promise.resolve(id !== 'gpt-6-mini')
      }
      const uses = [
        codon('opus'),
        codon('gpt-6-mini', { number: 2 }),
        codon('openrouter/some/model', { number: 3 }),
      ]
      const result = await check(uses, { environment: at(server.origin), servable })
      expect(printed(result)).toEqual([
        'error: hank[1].model: Codon 2 (c2): Self-test of embedded:openai/gpt-6-mini failed (model): ' +
          'The embedded SDK cannot serve openai/gpt-6-mini, although the model is known. ' +
          'Choose a model that is served there ("weave models" lists those that are known).',
      ])
      expect(seen).toEqual(['openai/gpt-6-mini', 'openrouter/some/model'])
      expect(server.received.map(one => one.path).sort()).toEqual([
        '/api/v1/key',
        '/v1/messages/count_tokens',
      ])
    },
  )
})
