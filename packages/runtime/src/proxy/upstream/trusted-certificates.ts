import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'

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

function textOf(path: string): string {
  if (path === '') return ''
  try {
    const text = readFileSync(path, 'latin1')
    return text.includes('-----BEGIN CERTIFICATE-----') ? text : ''
  } catch {
    return ''
  }
}
