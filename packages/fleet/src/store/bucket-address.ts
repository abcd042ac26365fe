import { FleetFault } from '../fault.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** A bucket of an S3 or of whatever speaks as it does, and who asks. */
export interface Bucket {
  readonly name: string
  /** The address of an object, or of the bucket itself. */
  readonly urlOf: (key: string) => URL
  /** What stands before the name of each object; empty, or ending with a slash. */
  readonly prefix: string
  readonly region: string
  readonly credentials: BucketCredentials
}

export interface BucketCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

/** What agents must not have when objects are in a bucket. The region is no secret, and agents may need it. */
export const bucketVariables = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_ENDPOINT_URL',
  'AWS_ENDPOINT_URL_S3',
] as const

const nearHosts = new Set(['localhost', '127.0.0.1', '[::1]'])
const parameters = new Set(['endpoint', 'region', 'style'])

/** From `s3://bucket/prefix?endpoint=…&region=…&style=path|host` and the usual variables; the address wins. Never repeats what may hold a key. */
export function bucketOf(
  url: string,
  { environment, isInsecure }: { readonly environment: Environment; readonly isInsecure: boolean },
): Bucket {
  const { name, prefix, asked } = parse(url)
  const region =
    asked.get('region') ?? environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'] ?? 'us-east-1'
  const named = asked.get('endpoint') ?? environment['AWS_ENDPOINT_URL_S3'] ?? environment['AWS_ENDPOINT_URL']
  const endpoint = endpointOf(named ?? `https://s3.${region}.amazonaws.com`)
  if (endpoint.protocol === 'http:' && !nearHosts.has(endpoint.hostname) && !isInsecure)
    throw wrong(
      'its endpoint is on another machine and has no certificate',
      'Write https:// into the endpoint; or say --insecure-engine',
    )
  // Names with dots fit no certificate of the form *.s3.…; servers of one's own rarely have a name for each bucket.
  const style = asked.get('style') ?? (named === undefined && !name.includes('.') ? 'host' : 'path')
  const base = endpoint.pathname.replace(/\/$/, '')
  return {
    name,
    prefix,
    region,
    credentials: credentialsIn(environment),
    urlOf(key) {
      const at = new URL(endpoint)
      if (style === 'host') at.host = `${name}.${endpoint.host}`
      at.pathname = style === 'host' ? `${base}/${key}` : `${base}/${name}/${key}`
      return at
    },
  }
}

function parse(url: string) {
  const [, name = '', path = '', query = ''] =
    /^s3:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(url) ?? []
  const parts = path.split('/').filter(part => part !== '')
  const asked = new URLSearchParams(query)
  const style = asked.get('style')
  const isGood =
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) &&
    parts.every(part => /^[A-Za-z0-9._-]+$/.test(part) && part !== '.' && part !== '..') &&
    [...asked.keys()].every(key => parameters.has(key)) &&
    (style === null || style === 'path' || style === 'host')
  if (!isGood)
    throw wrong(
      'its address is not one of a bucket',
      'Write s3://bucket/prefix, with ?endpoint=https://… or &region=… if need be; keys belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    )
  return { name, prefix: parts.map(part => `${part}/`).join(''), asked }
}

function endpointOf(text: string): URL {
  try {
    const parsed = new URL(text)
    const isWeb = parsed.protocol === 'https:' || parsed.protocol === 'http:'
    if (isWeb && parsed.username === '' && parsed.password === '' && parsed.search === '') return parsed
  } catch {
    // Said below.
  }
  throw wrong(
    'its endpoint is no address',
    'Write one such as https://s3.example.com into AWS_ENDPOINT_URL_S3',
  )
}

function credentialsIn(environment: Environment): BucketCredentials {
  const accessKeyId = environment['AWS_ACCESS_KEY_ID']
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY']
  if (!accessKeyId || !secretAccessKey)
    throw wrong(
      'nobody says with which key it is opened',
      'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN if there is one',
    )
  const sessionToken = environment['AWS_SESSION_TOKEN']
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
}

function wrong(what: string, cure: string): FleetFault {
  return new FleetFault('FLEET_STORE', { message: `The store cannot be used: ${what}.`, cure: `${cure}.` })
}
