import { type Credential, credentialFor, type Endpoint, endpointFor } from '../models/index.ts'
import type { CodonUse, Environments, Resolved } from './model-use.ts'

/** What a codon would call its model with. */
export interface Access {
  readonly credential: Credential
  readonly endpoint: Endpoint
  /**
   * Whether a key of the person would travel to an address that the hank gave. Whoever runs such a hank may want just
   * that, but checking one must not hand the key over: nothing is asked there before the run.
   */
  readonly isLent: boolean
}

export function accessOf({ use, model }: Resolved<CodonUse>, { codon: own }: Environments): Access {
  const environment = use.environment ?? own
  const credential = credentialFor(model.provider, 'codon', environment)
  const endpoint = endpointFor(model.provider, environment)
  const usual = endpointFor(model.provider, own)
  const isElsewhere = endpoint.ok && !(usual.ok && usual.api === endpoint.api)
  const isOwnKey = credential.ok && Object.values(own).includes(credential.value)
  return { credential, endpoint, isLent: isElsewhere && isOwnKey }
}

/** The host of an address: all that is ever shown of it, since the rest may hold a secret. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : 'an address that cannot be read'
}
