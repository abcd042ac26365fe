import { createHash } from 'node:crypto'
import { type Bucket, bucketVariables } from './bucket-address.ts'
import { type BucketAnswer, openBucketClient, type Patience } from './bucket-client.ts'
import { type Shelf, ShelfFault, type StoredObject } from './shelf.ts'

/** How often something is put again that did not arrive as it was sent. */
const rounds = 3

/**
 * Objects in a bucket. Nothing of it needs conditional writes: names are hashes, and heads are elsewhere. Ages go by the
 * clock of the server alone.
 */
export function openBucketStore(url: string, bucket: Bucket, patience?: Patience): Shelf {
  const send = openBucketClient(bucket, patience)
  const keyOf = (sha: string): string => `${bucket.prefix}${sha}`

  /** Asked of the server; one that keeps no hashes is asked for the bytes. */
  const isThere = async (key: string, bytes: Buffer, checksum: string): Promise<boolean> => {
    const head = await send({ method: 'HEAD', key, headers: { 'x-amz-checksum-mode': 'ENABLED' } })
    if (Number(head?.headers.get('content-length') ?? -1) !== bytes.length) return false
    const kept = head?.headers.get('x-amz-checksum-sha256')
    if (kept) return kept === checksum
    return (await send({ method: 'GET', key }))?.body.equals(bytes) === true
  }

  return {
    url,
    variables: bucketVariables,
    async write(sha, bytes) {
      const checksum = createHash('sha256').update(bytes).digest('base64')
      const headers = { 'content-type': 'application/octet-stream', 'x-amz-checksum-sha256': checksum }
      for (let round = 0; round < rounds; round++) {
        await send({ method: 'PUT', key: keyOf(sha), headers, body: bytes })
        if (await isThere(keyOf(sha), bytes, checksum)) return
      }
      throw new ShelfFault('it does not keep what is put there', 'See to the server of the store.')
    },
    async read(sha) {
      return (await send({ method: 'GET', key: keyOf(sha) }))?.body
    },
    async olderThan(milliseconds) {
      const found: StoredObject[] = []
      let token: string | undefined
      do {
        const query = {
          'list-type': '2',
          prefix: bucket.prefix,
          ...(token !== undefined && { 'continuation-token': token }),
        }
        const page = await send({ method: 'GET', query })
        if (!page) throw new ShelfFault('it cannot be listed', 'See to the server of the store.')
        const { objects, next } = readPage(page)
        for (const { key, bytes, at } of objects) {
          const sha = key.slice(bucket.prefix.length)
          const isOurs = key.startsWith(bucket.prefix) && /^[0-9a-f]{64}$/.test(sha)
          if (isOurs && isOld(at, milliseconds, page)) found.push({ sha, bytes })
        }
        if (next !== undefined && next === token)
          throw new ShelfFault('its list never ends', 'See to the server of the store.')
        token = next
      } while (token !== undefined)
      return found
    },
    async remove(sha, milliseconds) {
      const head = await send({ method: 'HEAD', key: keyOf(sha) })
      const at = Date.parse(head?.headers.get('last-modified') ?? '')
      if (!head || !isOld(at, milliseconds, head)) return false
      await send({ method: 'DELETE', key: keyOf(sha) })
      return true
    },
  }
}

/** Without both times nothing is old. */
function isOld(at: number, milliseconds: number, { headers }: BucketAnswer): boolean {
  return at < Date.parse(headers.get('date') ?? '') - milliseconds
}

/** A page of the list: our own names have no letter that XML writes otherwise, and those of others do not matter. */
function readPage({ body }: BucketAnswer) {
  const text = body.toString('utf8')
  const objects = [...text.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, inner = '']) => ({
    key: fieldOf(inner, 'Key') ?? '',
    bytes: Number(fieldOf(inner, 'Size')),
    at: Date.parse(fieldOf(inner, 'LastModified') ?? ''),
  }))
  const isCut = fieldOf(text, 'IsTruncated') === 'true'
  return { objects, next: isCut ? fieldOf(text, 'NextContinuationToken') : undefined }
}

function fieldOf(text: string, name: string): string | undefined {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1]
  return found
    ?.replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
