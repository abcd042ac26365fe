import type { RequirementTable } from '../requirement.ts'

/** Rules of parts 2.13 and 2.14: the shapes sent over the WebSocket and through the proxy. */
export const wireShapes = {
  // 2.13 WebSocket data structures
  '2.13/server-event':
    'A `ServerEvent` holds the strings `id`, `timestamp` and `type`, and an object `data`.',
  '2.13/server-event-timestamp': 'The `timestamp` of a `ServerEvent` is in ISO 8601 form.',
  '2.13/client-command':
    'A `ClientCommand` holds the strings `id` and `type`, and an optional object `data`.',
  '2.13/client-command-id':
    'The `id` of a `ClientCommand` is unique, so that it can be used for correlation.',
  '2.13/process-exit-success': 'A successful `ProcessExit` is `{type: success}`.',
  '2.13/process-exit-error': 'A `ProcessExit` after an error is `{type: error, code: number}`.',
  '2.13/process-exit-killed': 'A `ProcessExit` after a signal is `{type: killed, signal: string}`.',
  '2.13/failure-reason-type-enum':
    '`FailureReason.type` is `timeout`, `rate-limit`, `api-error`, `sentinel-load-failure` or `unknown`.',
  '2.13/failure-reason-retriable': '`FailureReason.retriable` is a boolean and always present.',
  '2.13/failure-reason-message': '`FailureReason.message` is an optional string.',
  '2.13/failure-reason-sentinel-refs':
    '`FailureReason.sentinelRefs` is an optional list of strings that goes with `sentinel-load-failure`.',
  '2.13/checkpoint-info':
    '`CheckpointInfo` holds the strings `codonId`, `codonName`, `sha` and `timestamp`, a `checkpointType` and a `status`.',
  '2.13/checkpoint-info-type-enum':
    '`CheckpointInfo.checkpointType` is `rig-setup`, `completed`, `error` or `skipped`.',
  '2.13/checkpoint-info-status': '`CheckpointInfo.status` is the status of the codon.',
  '2.13/file-node': '`FileNode` holds the strings `name` and `path` and the boolean `isDirectory`.',
  '2.13/file-node-children': '`FileNode.children` is a list of `FileNode`.',
  '2.13/file-node-last-modified': '`FileNode.lastModified` is an optional string.',

  // 2.14 Proxy request and response shapes
  '2.14/request': 'A proxy request holds the strings `method` and `url` and a string map `headers`.',
  '2.14/request-url': 'The `url` of a proxy request is the path with its query.',
  '2.14/request-body': 'The `body` of a proxy request is an optional string.',
  '2.14/request-data-present':
    '`messagesRequestData` is present when the body is JSON shaped like a messages-API request.',
  '2.14/request-data-absent': '`messagesRequestData` is absent for any other body.',
  '2.14/request-data-unknown-keys':
    'Unknown keys of a messages-API request are kept in `messagesRequestData`.',
  '2.14/request-data-fields-read':
    'Of a messages-API request the proxy reads `model`, `messages`, `max_tokens` and `stream`.',
  '2.14/response': 'A proxy response holds a number `status` and a string map `headers`.',
  '2.14/response-body': 'The `body` of a proxy response is absent, a string or a readable stream.',
} as const satisfies RequirementTable
