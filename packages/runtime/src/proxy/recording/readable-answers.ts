import type { OutgoingRequest, Transport } from '../transport.ts'

/** The same way out, on which nobody asks for an answer in a coding that cannot be read here. */
export function readableAnswers(transport: Transport): Transport {
  return { ...transport, send: (request, handler) => transport.send(withReadable(request), handler) }
}

/** As `decodedBody` knows them. */
const known = /^(?:gzip|x-gzip|deflate|br|identity)\s*(?:;|$)/i

function withReadable(request: OutgoingRequest): OutgoingRequest {
  const headers = request.headers.map(header => {
    if (header.key !== 'accept-encoding') return header
    const codings = header.value.split(',').map(coding => coding.trim())
    const kept = codings.filter(coding => known.test(coding))
    return { ...header, value: kept.length > 0 ? kept.join(', ') : 'identity' }
  })
  return { ...request, headers }
}
