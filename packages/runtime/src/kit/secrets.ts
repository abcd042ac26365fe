import { lstatSync } from 'node:fs'

export interface Secret {
  readonly name: string
  readonly value: string
}

/** Whose values are secrets whatever they look like. */
const secretNames = /(?:_API_KEY|(?:^|[_-])TOKEN|_SECRET)$|PASSWORD|^AWS_BEARER_TOKEN_/i

/** Whose values are secrets, unless they name a file: `GOOGLE_APPLICATION_CREDENTIALS` is mostly a path. */
const likelyNames =
  /(?:_KEY|_ACCESS_KEY_\w+|_PAT|_CREDENTIALS?|_PASSPHRASE|_PASSWD|_PASS|_PWD|_CONNECTION_STRING)$/i

/** Headers for a collector, mostly with a key among them: `OTEL_EXPORTER_OTLP_HEADERS="api-key=secret,tenant=a"`. */
const headerNames = /^OTEL_EXPORTER_OTLP(?:_[A-Z]+)*_HEADERS$/
const shortestHeader = 8

/** Values that must never be written down: of variables whose names say so, and passwords in addresses. */
export function secretsOf(environment: Readonly<Record<string, string | undefined>>): readonly Secret[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined) return []
    if (headerNames.test(name)) return headerSecrets(name, value)
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

/** The whole value, and each header as it is written and as it is sent. */
function headerSecrets(name: string, value: string): readonly Secret[] {
  const headers = value.split(',').flatMap(header => {
    const written = header.slice(header.indexOf('=') + 1).trim()
    const sent = decoded(written)
    // `Bearer` and the like are no secret, what follows them is.
    return [written, sent, sent.split(' ').at(-1) ?? '']
  })
  const long = headers.filter(header => header.length >= shortestHeader)
  return [...new Set([value, ...long])].map(secret => ({ name, value: secret }))
}

/** As it is written there and as programs use it. */
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
/**
 * Texts come from agents and may be made to be slow, so every pattern takes time linear in the text: a match that fails has
 * looked at a bounded number of characters, or at a run of them that no other match looks at. `{20}x*` and not `{20,}`: a
 * counted repetition without an end takes memory for each character and throws at some 16 MB.
 */
const word = '[A-Za-z0-9_-]'
const alphanumeric = '[A-Za-z0-9]'

const shapes: readonly (readonly [name: string, pattern: string])[] = [
  ['anthropic-key', `\\bsk-ant-${atLeast(20, word)}`],
  ['openrouter-key', `\\bsk-or-${atLeast(20, word)}`],
  ['openai-key', `\\bsk-(?:(?:proj|svcacct|admin)-${atLeast(20, word)}|${atLeast(32, alphanumeric)})`],
  ['google-key', `\\bAIza${word}{35}`],
  ['github-token', `\\bgh[pousr]_${atLeast(36, alphanumeric)}`],
  ['github-token', `\\bgithub_pat_${atLeast(22, '[A-Za-z0-9_]')}`],
  ['gitlab-token', `\\bglpat-${atLeast(20, word)}`],
  ['aws-key', '\\b(?:AKIA|ASIA)[A-Z0-9]{16}'],
  ['slack-token', `\\bxox[abprs]-${atLeast(10, '[A-Za-z0-9-]')}`],
  ['stripe-key', `\\b[sr]k_(?:live|test)_${atLeast(16, alphanumeric)}`],
  ['npm-token', `\\bnpm_${alphanumeric}{36}`],
  ['huggingface-token', `\\bhf_${atLeast(30, alphanumeric)}`],
  [
    'private-key',
    '-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,16384}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?',
  ],
]

/** What has none of these beginnings needs no closer look. */
export const shapeHints = [
  // Rare characters first: a search for them takes a tenth of the time that a search for whole beginnings takes.
  '[-_JzKS](?<=sk-(?=[A-Za-z0-9_])|glpat-|xox[abprs]-|-----(?=BEGIN)|gh[pousr]_|github_pat_|k_live_|k_test_|npm_|hf_',
  '|eyJ|AIz(?=a)|A[KS](?=IA))',
].join('')

const anyShape = new RegExp(shapes.map(([, pattern]) => `(${pattern})`).join('|'), 'g')

/**
 * A JSON web token may begin after a dash, so one word has many places to begin at. Whether two more words follow is
 * therefore asked once for each word, at its first character, and only then is the beginning looked for.
 */
const webToken = new RegExp(
  [
    `(?<!${word})(?=${word}*\\.eyJ${atLeast(10, word)}\\.${word}{10})`,
    `(${word}*?)\\beyJ${atLeast(10, word)}\\.${word}*\\.${word}*`,
  ].join(''),
  'g',
)

export function withoutShapes(text: string): string {
  return text
    .replace(webToken, (_whole, before: string) => `${before}[redacted:jwt]`)
    .replace(anyShape, (...match) => `[redacted:${shapeName(match)}]`)
}

function atLeast(count: number, characters: string): string {
  return `${characters}{${count}}${characters}*`
}

function shapeName(match: readonly unknown[]): string {
  const index = shapes.findIndex((_, shape) => match[shape + 1] !== undefined)
  return shapes[index]?.[0] ?? 'key'
}
