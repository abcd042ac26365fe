import { lstatSync } from 'node:fs'

export interface Secret {
  readonly name: string
  readonly value: string
}

/** Whose values are secrets whatever they look like. */
const secretNames = /(?:_API_KEY|(?:^|[_-])TOKEN|_SECRET)$|PASSWORD/i

/** Whose values are secrets, unless they name a file: `GOOGLE_APPLICATION_CREDENTIALS` is mostly a path. */
const likelyNames =
  /(?:_KEY|_ACCESS_KEY_\w+|_PAT|_CREDENTIALS?|_PASSPHRASE|_PASSWD|_PASS|_PWD|_CONNECTION_STRING)$/i

/**
 * The values of an environment that must never be written down: those of variables whose names say so, and passwords in
 * addresses, such as that of `DATABASE_URL`.
 */
export function secretsOf(environment: Readonly<Record<string, string | undefined>>): readonly Secret[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined) return []
    if (holdsSecret(name, value)) return [{ name, value }]
    return passwordsIn(value).map(password => ({ name, value: password }))
  })
}

function holdsSecret(name: string, value: string): boolean {
  return secretNames.test(name) || (likelyNames.test(name) && !isExistingPath(value))
}

function isExistingPath(value: string): boolean {
  if (!/^(?:\/|\.{1,2}\/)/.test(value)) return false
  try {
    return lstatSync(value, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/** The password of an address, as it is written there and as programs use it. */
function passwordsIn(value: string): readonly string[] {
  const [, written] = /^[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/?#@]{0,256}:([^\s/?#]{1,1024})@/i.exec(value) ?? []
  if (written === undefined) return []
  return [...new Set([written, decoded(written)])]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
