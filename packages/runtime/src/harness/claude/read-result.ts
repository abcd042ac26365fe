import { fieldsOf, type JsonObject, listOf, numberOf, textOf } from '../../kit/index.ts'
import type { SdkResult } from './sdk-message.ts'

export function readResult(message: JsonObject): SdkResult {
  const errors = listOf(message['errors']).flatMap(error => textOf(error) ?? [])
  return {
    isError: message['is_error'] === true || message['subtype'] !== 'success',
    message: textOf(message['result']) ?? errors.join('\n'),
    status: numberOf(message['api_error_status']),
    terminalReason: textOf(message['terminal_reason']),
    startupFailure: textOf(message['startup_failure_reason']),
    totalDollars: numberOf(message['total_cost_usd']),
    isListPrice: Object.values(fieldsOf(message['modelUsage'])).every(isListPriced),
  }
}

/** A model whose basis is not said was priced by an earlier session, by the list. */
function isListPriced(usage: unknown): boolean {
  const basis = fieldsOf(usage)['costBasis']
  return basis === undefined || basis === 'list'
}
