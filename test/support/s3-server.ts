import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOnLoopback } from './loopback.ts'
import { refusalOf, type S3Key } from './s3-signature.ts'

/** What goes wrong with one request. */
export type S3Fault =
  | { readonly kind: 'status'; readonly status: number; readonly code?: string }
  /** Never answers. */
  | { readonly kind: 'silence' }
  /** Ends in the middle of a body. */
  | { readonly kind: 'cut' }
  /** Keeps, or gives, something else. */
  | { readonly kind: 'other-bytes' }

interface Kept {
  bytes: Buffer
  at: number
}

export interface S3Options {
  readonly key?: S3Key
  readonly region?: string
  /** How far its clock is ahead. */
  readonly skewMs?: number
  readonly pageSize?: number
  /** Whether it keeps hashes of what it has, as some do. */
  readonly keepsHashes?: boolean
}

const usualKey: S3Key = { id: 'AKIDFORTESTS', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYTESTSKEY' }

/** What a client is answered. */
interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string | number>>
  readonly body?: string | Buffer
  /** Ends in the middle. */
  readonly isCut?: boolean
}

/** The little of S3 that a store needs, for one bucket `parcels`, with signatures checked and faults as they are asked for. */
export async function s3Server(options: S3Options = {}) {
  const { key = usualKey, region = 'us-east-1', skewMs = 0 } = options
  const objects = new Map<string, Kept>()
  const asked: string[] = []
  const faults: { readonly method: string; readonly fault: S3Fault }[] = []
  const now = (): number => Date.now() + skewMs
  const faultFor = (method = ''): S3Fault | undefined => {
    const at = faults.findIndex(each => each.method === method)
    return at === -1 ? undefined : faults.splice(at, 1)[0]?.fault
  }
  const serve = (request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
    asked.push(`${request.method} ${request.url?.split('?')[0]}`)
    const fault = faultFor(request.method)
    if (fault?.kind === 'silence') return
    const refusal = refusalOf(request, body, { key, region, now: now() })
    const answer =
      fault?.kind === 'status'
        ? refused(fault.status, fault.code)
        : refusal === undefined
          ? answerOf({ request, body, fault }, objects, { ...options, now: now() })
          : notAllowed(refusal, region)
    response.writeHead(answer.status, { ...answer.headers, date: new Date(now()).toUTCString() })
    const bytes = Buffer.from(answer.body ?? '')
    if (!answer.isCut) response.end(request.method === 'HEAD' ? undefined : bytes)
    else response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
  }
  const port = await listenOnLoopback(
    createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => serve(request, response, Buffer.concat(parts)))
    }),
  )
  return {
    /** What a client of it needs. */
    environment: {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: key.id,
      AWS_SECRET_ACCESS_KEY: key.secret,
      ...(key.token !== undefined && { AWS_SESSION_TOKEN: key.token }),
    },
    /** By the path below the bucket. */
    objects,
    /** `PUT /parcels/…`, in the order in which they came. */
    asked,
    /** The next requests of this kind go wrong so, one after the other. */
    fail(method: string, ...more: readonly S3Fault[]): void {
      faults.push(...more.map(fault => ({ method, fault })))
    },
  }
}

interface Asked {
  readonly request: IncomingMessage
  readonly body: Buffer
  readonly fault: S3Fault | undefined
}

function answerOf(
  { request, body, fault }: Asked,
  objects: Map<string, Kept>,
  { now, pageSize = 1_000, keepsHashes = true }: S3Options & { readonly now: number },
): Answer {
  const { method, url = '', headers } = request
  const { pathname, searchParams } = new URL(url, 'http://store.invalid')
  const [, bucket = '', ...rest] = pathname.split('/')
  const name = rest.join('/')
  if (bucket !== 'parcels') return refused(404, 'NoSuchBucket')
  if (name === '') return listOf(objects, searchParams, pageSize)
  if (method === 'PUT') {
    if (headers['x-amz-checksum-sha256'] !== hashOf(body)) return refused(400, 'InvalidRequest')
    objects.set(name, { bytes: other(body, fault), at: now })
    return { status: 200 }
  }
  const kept = objects.get(name)
  if (method === 'DELETE') objects.delete(name)
  if (method === 'DELETE') return { status: 204 }
  if (!kept) return refused(404, 'NoSuchKey')
  const bytes = other(kept.bytes, fault)
  const said = {
    'content-length': bytes.length,
    'last-modified': new Date(kept.at).toUTCString(),
    ...(keepsHashes && { 'x-amz-checksum-sha256': hashOf(bytes) }),
  }
  return { status: 200, headers: said, body: bytes, isCut: fault?.kind === 'cut' }
}

function listOf(objects: ReadonlyMap<string, Kept>, asks: URLSearchParams, pageSize: number): Answer {
  const prefix = asks.get('prefix') ?? ''
  const after = asks.get('continuation-token') ?? ''
  const rest = [...objects].filter(([name]) => name.startsWith(prefix) && name > after)
  const page = rest.toSorted(([left], [right]) => (left < right ? -1 : 1)).slice(0, pageSize)
  const next = page.length < rest.length ? page.at(-1)?.[0] : undefined
  const rows = page.map(
    ([name, { bytes, at }]) =>
      `<Contents><Key>${name}</Key><LastModified>${new Date(at).toISOString()}</LastModified><ETag>&quot;x&quot;</ETag><Size>${bytes.length}</Size></Contents>`,
  )
  const more = next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`
  const isCut = `<IsTruncated>${next !== undefined}</IsTruncated>`
  return {
    status: 200,
    body: `<?xml version="1.0"?><ListBucketResult>${isCut}${more}${rows.join('')}</ListBucketResult>`,
  }
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64')
}

function notAllowed(refusal: string, region: string): Answer {
  if (refusal !== 'AuthorizationHeaderMalformed') return refused(403, refusal)
  return { ...refused(400, refusal), headers: { 'x-amz-bucket-region': region } }
}

function other(bytes: Buffer, fault: S3Fault | undefined): Buffer {
  return fault?.kind === 'other-bytes' ? Buffer.from(bytes.map(byte => byte ^ 1)) : bytes
}

/** A real server repeats the key in its words, too. */
function refused(status: number, code?: string): Answer {
  const words = `<Code>${code}</Code><Message>no</Message><AWSAccessKeyId>AKIDFORTESTS</AWSAccessKeyId>`
  return { status, ...(code !== undefined && { body: `<?xml version="1.0"?><Error>${words}</Error>` }) }
}
