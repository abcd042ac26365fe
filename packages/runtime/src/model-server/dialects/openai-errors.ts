import type { JsonObject } from '../../kit/index.ts'
import type { WireError } from './dialect.ts'

export function openAiError({ status, message }: WireError): JsonObject {
  const code = codes.get(status) ?? null
  const type = status === 429 ? 'requests' : status < 500 ? 'invalid_request_error' : 'server_error'
  return { error: { message, type, param: null, code } }
}

const codes: ReadonlyMap<number, string> = new Map([
  [401, 'invalid_api_key'],
  [402, 'insufficient_quota'],
  [404, 'model_not_found'],
  [429, 'rate_limit_exceeded'],
])

export function openAiOverflow(message: string): JsonObject {
  return {
    error: { message, type: 'invalid_request_error', param: 'input', code: 'context_length_exceeded' },
  }
}
