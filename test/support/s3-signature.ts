import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export interface S3Key {
  readonly id: string
  readonly secret: string
  readonly token?: string | undefined
}

const longestSkewMs = 15 * 60_000

/** Why a request is refused, in the words of S3; undefined: its signature (AWS4-HMAC-SHA256) is that of the key, over all that counts. */
export function refusalOf(
  request: IncomingMessage,
  body: Buffer,
  { key, region, now }: { readonly key: S3Key; readonly region: string; readonly now: number },
): string | undefined {
  const { headers } = request
  const [, id, date, theirRegion, names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? []
  const stamp = String(headers['x-amz-date'])
  if (signature === undefined || !stamp.startsWith(`${date}T`)) return 'AccessDenied'
  if (id !== key.id) return 'InvalidAccessKeyId'
  if (headers['x-amz-security-token'] !== key.token) return 'InvalidToken'
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(stamp) ?? []
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (!(Math.abs(at - now) < longestSkewMs)) return 'RequestTimeTooSkewed'
  if (theirRegion !== region) return 'AuthorizationHeaderMalformed'
  const signedNames = names.split(';')
  const must = Object.keys(headers).filter(name => name === 'host' || name.startsWith('x-amz-'))
  if (must.some(name => !signedNames.includes(name))) return 'AccessDenied'
  const hash = sha256(body).toString('hex')
  if (headers['x-amz-content-sha256'] !== hash) return 'XAmzContentSHA256Mismatch'
  const scope = `${date}/${region}/s3/aws4_request`
  const text = [
    'AWS4-HMAC-SHA256',
    stamp,
    scope,
    sha256(canonical(request, signedNames, hash)).toString('hex'),
  ]
  const signing = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (so, part) => hmac(so, part ?? ''),
    `AWS4${key.secret}`,
  )
  return hmac(signing, text.join('\n')).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
}

function canonical({ method, url = '', headers }: IncomingMessage, names: readonly string[], hash: string) {
  const [path = '', query = ''] = url.split('?')
  const sorted = query.split('&').filter(Boolean).toSorted()
  const lines = names.map(name => `${name}:${String(headers[name]).trim().replace(/\s+/g, ' ')}`)
  return [method, path, sorted.join('&'), ...lines, '', names.join(';'), hash].join('\n')
}

function sha256(bytes: Buffer | string): Buffer {
  return createHash('sha256').update(bytes).digest()
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
