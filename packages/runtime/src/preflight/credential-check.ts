import type { ProblemCode } from '@weave/protocol'
import { collector, type Problem, type Severity } from '../kit/index.ts'
import {
  type Credential,
  credentialFor,
  credentialVariables,
  type Endpoint,
  type Environment,
  endpointFor,
  isLocal,
  type Login,
  loginFor,
} from '../models/index.ts'
import { type CodonUse, type Environments, groupBy, isCodon, labelsOf, type Resolved } from './model-use.ts'

/**
 * Second step: whether a key is there for everyone who needs one. Looks at the environment only and repeats no value.
 *
 * Once for each provider: codons without a key are an error, and so are sentinels that a codon cannot do without. Other
 * sentinels are only not loaded, which is a warning. A codon whose hank sends a key of the person to an address of its
 * own is a warning too.
 */
export function checkCredentials(
  resolved: readonly Resolved[],
  environments: Environments,
  addresses: Addresses = { plainHosts: [], origins: new Map() },
): readonly Problem<ProblemCode>[] {
  const problems = collector<ProblemCode>()
  const lacking = resolved.flatMap(one => {
    if (one.model.hasOwnLogin) return []
    const credential = credentialOf(one, environments)
    return credential.ok ? [] : [{ ...one, kind: kindOf(one), missing: credential.missing }]
  })
  for (const { first, all } of groupBy(lacking, ({ kind, model }) => `${kind} ${model.provider}`)) {
    const { severity, consequence } = kinds[first.kind]
    const message = `No key for ${first.model.provider}${consequence}. Set ${orList(first.missing)}.`
    problems[severity]('key/missing', first.use.where, `${labelsOf(all)}: ${message}`)
  }
  problems.add(lentKeys(resolved, environments))
  problems.add(plainAddresses(resolved, environments, addresses))
  return problems.all()
}

/** What is known of addresses besides the environment. */
export interface Addresses {
  /** Hosts that the operator allows to be asked without encryption, with or without a port. */
  readonly plainHosts: readonly string[]
  /** The file that gave the address in a variable that the person did not set. */
  readonly origins: ReadonlyMap<string, string>
}

/** Prompts, answers and the key travel readable by everyone on the way. */
function plainAddresses(
  resolved: readonly Resolved[],
  environments: Environments,
  { plainHosts, origins }: Addresses,
): readonly Problem<ProblemCode>[] {
  const problems = collector<ProblemCode>()
  const plain = resolved.filter(isCodon).flatMap(one => {
    const { endpoint } = accessOf(one, environments)
    const isPlain = endpoint.ok && endpoint.api.startsWith('http:') && !isLocal(endpoint.api)
    return isPlain ? [{ ...one, api: endpoint.api, origin: origins.get(endpoint.variable ?? '') }] : []
  })
  for (const { first, all } of groupBy(plain, ({ api }) => hostOf(api))) {
    const { host, hostname } = new URL(first.api)
    const isAllowed = plainHosts.some(name => name === host || name === hostname)
    const said = `${labelsOf(all)}: ${first.model.provider} is asked at ${host} over plain http, where everyone on the way can read along`
    const { where } = first.use
    if (first.origin === undefined || isAllowed) problems.warning('model/plain-http', where, `${said}.`)
    else {
      const cure = `Use https, or allow it in weave.json: "plainHttpHosts": ["${hostname}"].`
      problems.error('model/plain-http', where, `${said} (${first.origin}). ${cure}`)
    }
  }
  return problems.all()
}

type Kind = 'codon' | 'needed' | 'spare'

const kinds: Readonly<Record<Kind, { readonly severity: Severity; readonly consequence: string }>> = {
  codon: { severity: 'error', consequence: '' },
  needed: { severity: 'error', consequence: ', without which failCodonIfNotLoaded fails the codon' },
  spare: { severity: 'warning', consequence: ', without which a sentinel is not loaded' },
}

function kindOf({ use }: Resolved): Kind {
  if (use.use === 'codon') return 'codon'
  return use.failCodonIfNotLoaded === true ? 'needed' : 'spare'
}

function credentialOf(resolved: Resolved, environments: Environments): Credential {
  if (isCodon(resolved)) return accessOf(resolved, environments).credential
  return credentialFor(resolved.model.provider, 'sentinel', environments.sentinel)
}

function lentKeys(
  resolved: readonly Resolved[],
  environments: Environments,
): readonly Problem<ProblemCode>[] {
  const problems = collector<ProblemCode>()
  for (const one of resolved.filter(isCodon)) {
    const { credential, endpoint, isLent } = accessOf(one, environments)
    if (!isLent || !credential.ok || !endpoint.ok) continue
    const { where, label } = one.use
    const journey = `The hank sends your ${credential.variable} to ${hostOf(endpoint.api)}`
    problems.warning(
      'key/lent',
      where,
      `${label}: ${journey}, where nothing was asked yet. Run it only if you trust that address.`,
    )
  }
  return problems.all()
}

function orList(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`
}

/** What a codon would call its model with. */
export interface Access {
  readonly credential: Credential
  readonly endpoint: Endpoint
  /**
   * Whether a key of the person would travel to an address that the hank gave. Whoever runs such a hank may want just
   * that, but checking one must not hand the key over: nothing is asked there before the run.
   */
  readonly isLent: boolean
  readonly login: Login | undefined
}

export function accessOf(
  { use, model }: Resolved<CodonUse>,
  { codon: own, logins = {} }: Environments,
): Access {
  const environment = use.environment ?? own
  const { provider, harness } = model
  const login = loginFor({ provider, harness, environment, files: logins })
  const credential: Credential = login
    ? { ok: true, variable: nameOf(login), value: 'value' in login ? login.value : '' }
    : { ok: false, missing: credentialVariables(provider, 'codon') }
  const endpoint = endpointFor(model.provider, environment)
  const usual = endpointFor(model.provider, own)
  const isElsewhere = endpoint.ok && !(usual.ok && usual.api === endpoint.api)
  const isOwnKey = credential.ok && credential.value !== '' && Object.values(own).includes(credential.value)
  const isLent = (isElsewhere && isOwnKey) || (login?.kind === 'cloud' && isSteered(environment, own))
  return { credential, endpoint, isLent, login }
}

/** What a login is called in messages. */
function nameOf(login: Login): string {
  return 'variable' in login ? login.variable : login.path
}

/** What says how a login of a cloud is used, and where. */
const cloudNames = /^(?:CLAUDE_CODE_USE_|CLAUDE_CODE_SKIP_|ANTHROPIC_(?:BEDROCK|VERTEX|FOUNDRY)_|AWS_)/

/** Whether the hank changes that. */
function isSteered(environment: Environment, own: Environment): boolean {
  return Object.keys(environment).some(name => cloudNames.test(name) && environment[name] !== own[name])
}

/** The host of an address: all that is ever shown of it, since the rest may hold a secret. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : 'an address that cannot be read'
}
