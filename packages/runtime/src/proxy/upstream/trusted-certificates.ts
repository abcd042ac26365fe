import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import { errorCode } from '../../kit/index.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where systems keep what they trust, all in one file. */
const systemBundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
  '/usr/local/etc/openssl/cert.pem',
] as const

/**
 * Whom to believe who an upstream is: those that Node.js ships, those that the system trusts, and those that
 * `NODE_EXTRA_CA_CERTS` adds. A file that cannot be read adds nobody.
 */
export function trustedCertificates(environment: Environment): readonly string[] {
  const named = environment['SSL_CERT_FILE'] ?? ''
  const bundles = named === '' ? systemBundles : [named]
  const system = bundles.map(textOf).find(text => text !== '')
  const extra = textOf(environment['NODE_EXTRA_CA_CERTS'] ?? '')
  return [...rootCertificates, system ?? '', extra].filter(text => text !== '')
}

export interface NamedCertificates {
  readonly variable: string
  readonly path: string
  /** Why nobody is trusted because of it. */
  readonly problem?: string
}

/** The files that the environment names, each with what is wrong with it. */
export function namedCertificates(environment: Environment): readonly NamedCertificates[] {
  return ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'].flatMap(variable => {
    const path = environment[variable] ?? ''
    if (path === '') return []
    const found = read(path)
    return [{ variable, path, ...(!found.ok && { problem: found.problem }) }]
  })
}

function textOf(path: string): string {
  const found = read(path)
  return found.ok ? found.text : ''
}

function read(
  path: string,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string } {
  try {
    const text = readFileSync(path, 'latin1')
    if (text.includes('-----BEGIN CERTIFICATE-----')) return { ok: true, text }
    return { ok: false, problem: 'holds no certificate' }
  } catch (error) {
    return { ok: false, problem: `cannot be read, ${errorCode(error) ?? String(error)}` }
  }
}
