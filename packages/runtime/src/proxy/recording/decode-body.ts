import { promisify } from 'node:util'
import { brotliDecompress, constants, gunzip, inflate } from 'node:zlib'
import { largestBody } from './body-store.ts'

const limits = { maxOutputLength: largestBody }
const decoders: Readonly<Record<string, (bytes: Buffer, isWhole: boolean) => Promise<Buffer>>> = {
  gzip: (bytes, isWhole) => promisify(gunzip)(bytes, zlibOptions(isWhole)),
  'x-gzip': (bytes, isWhole) => promisify(gunzip)(bytes, zlibOptions(isWhole)),
  deflate: (bytes, isWhole) => promisify(inflate)(bytes, zlibOptions(isWhole)),
  br: (bytes, isWhole) =>
    promisify(brotliDecompress)(
      bytes,
      isWhole ? limits : { ...limits, finishFlush: constants.BROTLI_OPERATION_FLUSH },
    ),
}

/** What an exchange that was broken off has brought counts, too. */
function zlibOptions(isWhole: boolean) {
  return isWhole ? limits : { ...limits, finishFlush: constants.Z_SYNC_FLUSH }
}

export interface CodedBody {
  readonly bytes: Buffer
  /** The header `content-encoding`. */
  readonly encoding: string | undefined
  readonly isWhole: boolean
}

/** The bytes without their content coding; undefined when that coding is not known here, or the bytes are not of it. */
export async function decodedBody({ bytes, encoding, isWhole }: CodedBody): Promise<Buffer | undefined> {
  const codings = (encoding ?? '').toLowerCase().split(',')
  const named = codings.map(coding => coding.trim()).filter(coding => coding !== '' && coding !== 'identity')
  let decoded = bytes
  for (const coding of named.toReversed()) {
    const decode = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
    if (!decode) return undefined
    try {
      decoded = await decode(decoded, isWhole)
    } catch {
      return undefined
    }
  }
  return decoded
}
