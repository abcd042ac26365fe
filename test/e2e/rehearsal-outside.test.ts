import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { createRegistry } from '../../packages/runtime/src/models/index.ts'
import { providerNames, providerOf } from '../../packages/runtime/src/models/providers.ts'
import { verifies } from '../conformance/verifies.ts'
import { startCanary } from '../support/canary-server.ts'
import { bash, codon as codonOf, hankFolder, rig, sentinel as sentinelOf } from '../support/hank-folder.ts'
import { isProof, tally } from '../support/proof.ts'
import { tempDir } from '../support/temp-dir.ts'
import { type NetworkTrace, traceNetwork } from '../support/traced-network.ts'
import { root, scriptedWeave } from '../support/weave-command.ts'

// The bundle is made before, so that no test here makes it.
beforeAll(scriptedWeave, 120_000)

const canaryKey = 'canary-key-3f9a1c77e2'

const codon = (id: string, model: string, fields: object = {}) =>
  codonOf(id, { model, checkpointedFiles: ['*.txt'], ...fields })

/** The agent's commands and the agent itself, each with all it was given. */
const tellsAll = (file: string) => bash(`{ env; tr '\\0' '\\n' < /proc/$PPID/environ; } > ${file}`)

const sentinel = (id: string, model: string) => ({
  sentinelConfig: sentinelOf(id, 'codon.started', { model }),
})

const addition = (provider: string) => ({ models: [{ provider, id: 'm', contextWindow: 32_000 }] })

const place = (hank: readonly object[], script: object) =>
  hankFolder(hank, {
    'home/.weave/models.json': addition('home-host'),
    'models.json': addition('my-host'),
    'weave.json': { modelsFile: 'models.json' },
    'rehearsal.json': script,
  })

/** Every request of the run had a placeholder, and nothing went anywhere but to a port of the run itself. */
function expectNobodyOutside({ status, stdout, stderr, own, foreign, requests }: NetworkTrace): void {
  expect(status, stderr + stdout).toBe(0)
  expect(foreign).toEqual([])
  expect(own).toBeGreaterThan(0)
  const keys = requests.flatMap(
    line => /\\r\\n(?:x-api-key|x-goog-api-key|authorization): (.*?)\\r\\n/i.exec(line)?.[1] ?? [],
  )
  expect(keys.length).toBeGreaterThan(0)
  expect(keys.filter(key => !/^(?:Bearer )?rehearsal(?:-|$)/.test(key))).toEqual([])
  expect(requests.filter(line => line.includes(canaryKey))).toEqual([])
}

verifies(
  ['d14/rehearsal-no-outside', 'd13/all-endpoints-local', 'd13/placeholder-credentials'],
  'a rehearsal uses no address and no key of the outside, whoever names it: variables, models.json, a codon, a sentinel',
  async () => {
    const provider = await startCanary()
    const outbound = await startCanary()
    const led = { key: canaryKey, url: provider.url }
    const env = {
      ANTHROPIC_API_KEY: led.key,
      ANTHROPIC_BASE_URL: led.url,
      ANTHROPIC_CUSTOM_HEADERS: `x-canary: ${led.key}`,
      VENDOR_API_KEY: led.key,
      VENDOR_BASE_URL: led.url,
      OPENAI_API_KEY: led.key,
    }
    const at = await place(
      [
        codon('vendor', 'sonnet', {
          env,
          ...rig('env > rig.txt'),
          sentinels: [sentinel('known', 'haiku'), sentinel('added', 'my-host/m')],
        }),
        codon('named', 'pi/my-host/m', { env: { MY_HOST_BASE_URL: led.url } }),
        codon('keyless', 'pi/home-host/m'),
      ],
      {
        codons: {
          vendor: [tellsAll('vendor.txt'), { say: 'Done.' }],
          named: [tellsAll('named.txt'), { say: 'Done.' }],
          keyless: [{ say: 'Done.' }],
        },
        sentinels: { known: ['seen by known'], added: ['seen by added'] },
      },
    )
    const run = await traceNetwork({
      cwd: at.cwd,
      words: ['rehearse', '--strict', '--json'],
      env: {
        ORDINARY: 'kept',
        MY_HOST_API_KEY: led.key,
        MY_HOST_BASE_URL: led.url,
        WEAVE_MY_HOST_API_KEY: led.key,
        WEAVE_MY_HOST_BASE_URL: led.url,
        WEAVE_SENTINEL_MY_HOST_API_KEY: led.key,
        WEAVE_SENTINEL_ANTHROPIC_API_KEY: led.key,
        ANTHROPIC_AUTH_TOKEN: led.key,
        WEAVE_ANTHROPIC_BASE_URL: 'https://canary.invalid',
        CLAUDE_CODE_OAUTH_TOKEN: led.key,
        OPENAI_BASE_URL: 'https://canary.invalid/v1',
        HTTP_PROXY: outbound.url,
        HTTPS_PROXY: outbound.url,
      },
    })
    expectNobodyOutside(run)
    expect([...provider.visits, ...outbound.visits]).toEqual([])
    expect(run.stdout).toContain('seen by known')
    expect(run.stdout).toContain('seen by added')

    for (const file of ['rig.txt', 'vendor.txt', 'named.txt']) {
      const given = at.read(file)
      expect(given).toContain('ORDINARY=kept')
      expect(given).not.toContain(canaryKey)
      expect(given).not.toContain(`:${provider.port}`)
      expect(given).not.toContain('canary.invalid')
    }
    tally('rehearsals traced', 1)
  },
  240_000,
)

test.runIf(isProof)(
  'nor for any provider of the catalogue, in the dialect of each',
  async () => {
    const provider = await startCanary()
    const { registry } = await createRegistry()
    const first = (name: string) => registry.models.find(model => model.provider === name)?.id ?? ''
    const names = ['my-host', 'home-host', ...providerNames]
    const idOf = (name: string) => (providerNames.includes(name) ? first(name) : 'm')
    const codons = names.map((name, at) => {
      const { keys, baseUrls } = providerOf(name)
      const variables = [...keys.map(key => [key, canaryKey]), ...baseUrls.map(url => [url, provider.url])]
      return codon(`c${at}`, `pi/${name}/${idOf(name)}`, {
        // Half of them in the hank, half of them outside.
        ...(at % 2 === 0 && { env: Object.fromEntries(variables) as Record<string, string> }),
        sentinels: [sentinel(`s${at}`, `${name}/${idOf(name)}`)],
      })
    })
    const outside = names.flatMap(name => {
      const { keys, sentinelKeys, baseUrls } = providerOf(name)
      return [
        ...[...keys, ...sentinelKeys].map(key => [key, canaryKey]),
        ...baseUrls.map(url => [url, provider.url]),
      ]
    })
    const { cwd } = await place([codon('vendor', 'sonnet'), ...codons], {
      codons: { '*': [{ use: 'write', input: { path: 'a.txt', content: 'x' } }, { say: 'Done.' }] },
      sentinels: Object.fromEntries(names.map((name, at) => [`s${at}`, [`seen by ${name}.`]])),
    })
    const run = await traceNetwork({
      cwd,
      words: ['rehearse', '--strict', '--json'],
      env: Object.fromEntries(outside) as Record<string, string>,
    })
    expectNobodyOutside(run)
    expect(provider.visits).toEqual([])
    for (const name of names) expect(run.stdout).toContain(`seen by ${name}.`)
    tally('rehearsals traced', names.length + 1)
  },
  900_000,
)

const examples = readdirSync(join(root, 'examples')).filter(name => /^\d\d-/.test(name))

test.runIf(isProof).each(examples)(
  'nor in the example %s',
  async name => {
    const cwd = await tempDir()
    cpSync(join(root, 'examples', name), join(cwd, 'example'), { recursive: true })
    const env = { ANTHROPIC_API_KEY: canaryKey, OPENAI_API_KEY: canaryKey }
    const run = await traceNetwork({ cwd, words: ['rehearse', 'example', '--json'], env })
    // One of them is made to fail; whom it asks on the way is the same.
    expectNobodyOutside({ ...run, status: name === '07-rollback' ? 0 : run.status })
    tally('rehearsals traced', 1)
  },
  300_000,
)
