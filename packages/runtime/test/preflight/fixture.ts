import { type Clock, formatProblem, systemClock } from '../../src/kit/index.ts'
import type { Environment } from '../../src/models/index.ts'
import { registryOf } from '../../src/models/registry.ts'
import { type ModelUse, type PreflightResult, preflight } from '../../src/preflight/index.ts'
import type { CodonUse, SentinelUse } from '../../src/preflight/model-use.ts'
import type { PreflightOptions } from '../../src/preflight/preflight.ts'
import { model } from '../models/models.ts'

export const registry = registryOf([
  model('anthropic', 'claude-opus-5-5'),
  model('anthropic', 'claude-haiku-5-5'),
  model('openai', 'gpt-6'),
  model('openai', 'gpt-6-mini'),
  model('google', 'gemini-4'),
  model('groq', 'meta/llama-9'),
  model('deepseek', 'deepseek-v9'),
  model('openrouter', 'some/model'),
  model('my-host', 'own-model'),
  ...Array.from({ length: 20 }, (_, at) => model('openai', `many-${at}`)),
])

/** Long enough to be redacted, and unlike anything else in a message. */
export const secret = 'zq7-Xw93kPfLmVt2Rb8c'

const allKeys: Environment = {
  ANTHROPIC_API_KEY: secret,
  OPENAI_API_KEY: secret,
  GEMINI_API_KEY: secret,
  OPENROUTER_API_KEY: secret,
  GROQ_API_KEY: secret,
  DEEPSEEK_API_KEY: secret,
  MY_HOST_API_KEY: secret,
}

/** The environment of someone who has every key and reaches every provider at one address. */
export function at(origin: string, more: Environment = {}): Environment {
  const names = ['ANTHROPIC', 'OPENAI', 'GOOGLE', 'OPENROUTER', 'GROQ', 'DEEPSEEK', 'MY_HOST']
  const addresses = Object.fromEntries(names.map(name => [`${name}_BASE_URL`, origin]))
  return { ...allKeys, ...addresses, ...more }
}

export function codon(
  name: string,
  { number = 1, ...more }: Partial<CodonUse> & { number?: number } = {},
): CodonUse {
  return {
    use: 'codon',
    where: `hank[${number - 1}].model`,
    label: `Codon ${number} (c${number})`,
    name,
    ...more,
  }
}

export function sentinel(name: string, more: Partial<SentinelUse> = {}): SentinelUse {
  return {
    use: 'sentinel',
    where: 'hank[0].sentinels[0]',
    label: 'Sentinel s of Codon 1 (c1)',
    name,
    ...more,
  }
}

/** The system's, but the waits between two tries take no time. */
const hurriedClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms < 10_000 ? 0 : ms, signal),
}

type Given = Partial<PreflightOptions> & { readonly environment?: Environment }

export function check(
  uses: readonly ModelUse[],
  { environment = {}, ...more }: Given = {},
): Promise<PreflightResult> {
  return preflight(uses, {
    registry,
    clock: hurriedClock,
    harnessAvailable: () => Promise.resolve({ ok: true }),
    environments: { codon: environment, sentinel: environment },
    ...more,
  })
}

export function printed({ problems }: Pick<PreflightResult, 'problems'>): readonly string[] {
  return problems.map(formatProblem)
}

export function outcomes({ results }: PreflightResult): Readonly<Record<string, string>> {
  return Object.fromEntries(results.map(({ identity, outcome }) => [identity, outcome]))
}
