import type { Bucket } from './bucket-address.ts'
import { ShelfFault } from './shelf.ts'

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
}

type Words = readonly [message: string, cure: string]

const keyCure = 'See to AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.'
const rightsCure =
  'Allow s3:PutObject, s3:GetObject and s3:DeleteObject on its objects, and s3:ListBucket on the bucket.'

/** By what the server calls it. Its own words are not repeated: some of them hold the key. */
const known: Readonly<Record<string, (bucket: Bucket, answer: Answer) => Words>> = {
  NoSuchBucket: ({ name }) => [
    `there is no bucket ${name}`,
    'Make the bucket, or name another with WEAVE_FLEET_STORE.',
  ],
  InvalidAccessKeyId: () => ['its key is not known there', keyCure],
  SignatureDoesNotMatch: () => ['its secret key is not the right one', keyCure],
  InvalidToken: () => ['its session token is not valid', 'See to AWS_SESSION_TOKEN.'],
  ExpiredToken: () => [
    'its session token has expired',
    'Set a new AWS_SESSION_TOKEN, with the keys it belongs to.',
  ],
  RequestTimeTooSkewed: (_, { headers }) => [
    `the clock of this machine is ${skewText(headers)}`,
    'Let a time service set the clock of this machine.',
  ],
  AccessDenied: () => ['this key may not do that', rightsCure],
  PermanentRedirect: inRegion,
  AuthorizationHeaderMalformed: inRegion,
  IllegalLocationConstraintException: inRegion,
}

/** Undefined: it is a success, or there is no such object. */
export function answerFault(bucket: Bucket, answer: Answer): ShelfFault | undefined {
  const { status } = answer
  if (status >= 200 && status < 300) return undefined
  const code = codeIn(answer)
  if (status === 404 && code !== 'NoSuchBucket') return undefined
  const words = known[code ?? usualCode(status) ?? '']
  if (words) return new ShelfFault(...words(bucket, answer))
  return new ShelfFault(
    `it answers ${status}${code === undefined ? '' : ` ${code}`}`,
    'See to the server of the store, or to WEAVE_FLEET_STORE.',
  )
}

/** Answers without a body say no more than their number. */
function usualCode(status: number): string | undefined {
  if (status === 401 || status === 403) return 'AccessDenied'
  return status >= 300 && status < 400 ? 'PermanentRedirect' : undefined
}

export function codeIn({ body }: Pick<Answer, 'body'>): string | undefined {
  return /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(body.toString('latin1', 0, 4_096))?.[1]
}

function inRegion({ name }: Bucket, { headers }: Answer): Words {
  const region = /^[a-z0-9-]+$/.exec(headers.get('x-amz-bucket-region') ?? '')?.[0]
  const where = region === undefined ? 'another region' : `the region ${region}`
  return [
    `the bucket ${name} is in ${where}`,
    `Set AWS_REGION${region === undefined ? '' : ` to ${region}`}.`,
  ]
}

function skewText(headers: Headers): string {
  const theirs = Date.parse(headers.get('date') ?? '')
  const seconds = Math.round((Date.now() - theirs) / 1_000)
  if (Number.isNaN(seconds)) return 'not that of the store'
  return `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} that of the store`
}

/** What went wrong before there was an answer, or in the middle of one. */
export function wireFault(error: unknown): ShelfFault {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
  const words = cause instanceof Error ? cause.message : String(cause)
  return new ShelfFault(
    code === undefined ? `it cannot be reached: ${words}` : `it cannot be reached (${code})`,
    'See to the network, or to AWS_ENDPOINT_URL_S3.',
  )
}
