import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import type { Bucket } from './bucket-address.ts'
import { answerFault, codeIn, wireFault } from './bucket-faults.ts'

export interface BucketRequest {
  readonly method: 'GET' | 'PUT' | 'HEAD' | 'DELETE'
  /** Of an object; absent: the bucket itself. */
  readonly key?: string | undefined
  readonly query?: Readonly<Record<string, string>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: Buffer | undefined
}

export interface BucketAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
}

/** How patient a client is. */
export interface Patience {
  readonly attempts: number
  /** Before the second attempt; twice as long before each further one. */
  readonly firstWaitMs: number
  /** So long without a byte, and an attempt is given up. What is sent gets more, by its size. */
  readonly stallMs: number
}

const usualPatience: Patience = { attempts: 6, firstWaitMs: 100, stallMs: 30_000 }

/** Slower than this nobody sends. */
const slowestBytesPerMs = 128
const transient = new Set([408, 429, 500, 502, 503, 504])
const transientCodes = new Set(['RequestTimeout', 'OperationAborted', 'SlowDown', 'InternalError'])

export type BucketClient = (request: BucketRequest) => Promise<BucketAnswer | undefined>

/** Sends signed requests, again after what may pass. Answers with undefined where there is no such object; everything else that is no success is thrown. */
export function openBucketClient(bucket: Bucket, patience: Patience = usualPatience): BucketClient {
  return async request => {
    for (let attempt = 1; ; attempt++) {
      const outcome = await once(bucket, request, patience).catch(wireFault)
      const fault = outcome instanceof Error ? outcome : answerFault(bucket, outcome)
      if (!fault && !(outcome instanceof Error)) return outcome.status === 404 ? undefined : outcome
      const mayPass = outcome instanceof Error || isTransient(outcome)
      if (fault && (!mayPass || attempt >= patience.attempts)) throw fault
      await delay(patience.firstWaitMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2))
    }
  }
}

function isTransient(answer: BucketAnswer): boolean {
  return transient.has(answer.status) || transientCodes.has(codeIn(answer) ?? '')
}

async function once(bucket: Bucket, request: BucketRequest, { stallMs }: Patience): Promise<BucketAnswer> {
  const { body } = request
  const given = new AbortController()
  const giveUp = (): void => given.abort(new Error('it does not answer'))
  const timer = setTimeout(giveUp, stallMs + (body?.length ?? 0) / slowestBytesPerMs)
  try {
    const { url, method, headers } = await signed(bucket, request)
    const response = await fetch(url, {
      method,
      headers,
      signal: given.signal,
      redirect: 'manual',
      ...(body && {
        body: new Uint8Array(body.buffer, body.byteOffset, body.length) as Uint8Array<ArrayBuffer>,
      }),
    })
    const parts: Uint8Array[] = []
    const stream = response.body as ReadableStream<Uint8Array> | null
    const reader = stream?.getReader()
    for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
      parts.push(read.value)
      timer.refresh()
    }
    return { status: response.status, headers: response.headers, body: Buffer.concat(parts) }
  } finally {
    clearTimeout(timer)
  }
}

/** The hash of what is sent is signed with it: a server refuses what arrives otherwise. */
async function signed(bucket: Bucket, { method, key = '', query = {}, headers = {}, body }: BucketRequest) {
  const url = bucket.urlOf(key)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const hash = createHash('sha256')
    .update(body ?? '')
    .digest('hex')
  const { sessionToken, ...credentials } = bucket.credentials
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: { ...headers, 'x-amz-content-sha256': hash },
    service: 's3',
    region: bucket.region,
    ...credentials,
    ...(sessionToken !== undefined && { sessionToken }),
  })
  return signer.sign()
}
