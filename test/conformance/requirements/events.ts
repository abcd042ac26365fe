import type { RequirementTable } from '../requirement.ts'

/** Rules of part 6: the events pushed to clients. */
export const events = {
  // 6 Events
  '6/server-state-journaled': 'Server State events are journaled.',
  '6/server-state-broadcast': 'Server State events go to all clients.',
  '6/agentic-backbone-journaled': 'Agentic Backbone events are journaled.',
  '6/agentic-backbone-broadcast': 'Agentic Backbone events go to all clients.',
  '6/sentinel-journaled': 'Sentinel events are journaled.',
  '6/sentinel-broadcast': 'Sentinel events go to all clients.',
  '6/connection-state-not-journaled': 'Connection State events are not journaled.',
  '6/connection-state-unicast': 'Connection State events go only to the client they concern.',
  '6/server-idle': '`server.idle` carries `reason` and a string `message`.',
  '6/server-idle-reason-enum':
    'The `reason` of `server.idle` is `startup`, `codon-completed` or `all-codons-completed`.',
  '6/codon-started':
    '`codon.started` carries `codonId`, `codonName`, `sessionId` and `startTime`, and may carry `codonDescription`, `previousSessionId` and `promptMetadata`.',
  '6/codon-started-start-time': 'The `startTime` of `codon.started` is in ISO 8601 form.',
  '6/codon-started-prompt-metadata':
    '`promptMetadata` may hold `name`, `description`, `tags` (a list of strings), `version` and `author`.',
  '6/codon-completed':
    '`codon.completed` carries `codonId`, boolean `success`, number `cost`, number `duration` and `exitStatus`, and may carry `failureReason`.',
  '6/codon-completed-units': '`cost` in `codon.completed` is in USD and `duration` in milliseconds.',
  '6/state-snapshot':
    '`state.snapshot` carries `completedCodons`, `fileTree`, `totalCost`, `totalTime` and boolean `isRollingBack`, and may carry `currentCodon`.',
  '6/state-snapshot-periodic': '`state.snapshot` is sent periodically while the hank runs.',
  '6/token-usage':
    '`token.usage` carries `codonId`, `inputTokens`, `outputTokens`, `cacheCreationTokens`, `cacheReadTokens` and `totalCost`, and may carry `modelId` and `modelUsage`.',
  '6/token-usage-model-usage':
    '`modelUsage` maps a model to `inputTokens`, `outputTokens`, `costUSD` and optional `cacheReadInputTokens` and `cacheCreationInputTokens`: the usage of the codon so far, of each model whose price is known.',
  '6/info': '`info` carries `message`.',
  '6/error':
    '`error` carries `message` and boolean `fatal`, and may carry `codon`, `severity`, `context` and `code`.',
  '6/error-severity-enum': 'The `severity` of `error` is `fatal`, `codon`, `operation` or `warning`.',
  '6/checkpoint-list':
    '`checkpoint.list` carries `runId`, `checkpoints` (a list of `CheckpointInfo`) and `currentBranch`.',
  '6/rollback-started':
    '`rollback.started` carries `fromRun`, `fromCodon`, `toCodon`, `toCheckpoint`, `checkpointType` and `codonsToProcess` (a list of strings).',
  '6/rollback-progress':
    '`rollback.progress` carries the numbers `currentStep` and `totalSteps`, and `message`.',
  '6/rollback-codon-checkpoint':
    '`rollback.codonCheckpoint` carries `codonId`, `codonName`, `checkpoint`, `checkpointType` and `message`.',
  '6/rollback-rig-cleanup':
    '`rollback.rigCleanup` carries `codonId`, `codonName`, `directories` (a list of strings) and `status`, and may carry `successfulCleanups` and `failedCleanups`.',
  '6/rollback-rig-cleanup-status-enum':
    'The `status` of `rollback.rigCleanup` is `started`, `completed`, `failed` or `partial`.',
  '6/rollback-rig-cleanup-failed-cleanups': 'Each entry of `failedCleanups` holds `directory` and `error`.',
  '6/rollback-completed':
    '`rollback.completed` carries `fromRun`, `toRun`, `checkpoint`, `codonId`, `codonName`, `checkpointType` and boolean `autoRestart`.',
  '6/state-transition':
    '`state.transition` carries `transitionType`, `transition` and `resultingState`, and may carry `runId` and `codonId`.',
  '6/state-transition-transition': 'The `transition` of `state.transition` holds `type` and a map `data`.',
  '6/state-transition-resulting-state':
    '`resultingState` holds `currentRunId` (string or null), `runCount`, `totalCost` and `currentRunCost`.',
  '6/state-transition-type-enum':
    '`transitionType` is `RunStarted`, `RunCompleted`, `RunFailed`, `RunCrashed`, `CodonStarted`, `CodonTransitioned`, `CostsUpdated`, `CostsIncremented`, `CodonFinalCostSet`, `AssistantMessageCountUpdated`, `CheckpointCreated`, `InitialCheckpointSet` or `SentinelStatesUpdated`; costs are recorded as totals, so `CostsIncremented` is read and never sent.',
  '6/assistant-action':
    '`assistant.action` carries `codonId`, `action` and `content`, and may carry `toolName` and a map `toolInput`.',
  '6/assistant-action-enum': 'The `action` of `assistant.action` is `thinking`, `message` or `tool_use`.',
  '6/tool-result':
    '`tool.result` carries `codonId`, `toolUseId`, `toolName`, string `result`, boolean `truncated`, `originalLength`, `executionTimeMs` and boolean `isError`.',
  '6/file-updated': '`file.updated` carries `path`, `filename`, `content` and `action`.',
  '6/file-updated-action-enum': 'The `action` of `file.updated` is `created`, `modified` or `deleted`.',
  '6/filetree-updated': '`filetree.updated` carries `tree`, a list of `FileNode`.',
  '6/sentinel-loaded':
    '`sentinel.loaded` carries `sentinelId`, `codonId`, `model`, `triggerType`, `executionStrategy`, boolean `conversational` and `source`, and may carry `sourcePath`.',
  '6/sentinel-loaded-trigger-type-enum': '`triggerType` is `event` or `sequence`.',
  '6/sentinel-loaded-execution-strategy-enum':
    '`executionStrategy` is `immediate`, `debounce`, `count` or `timeWindow`.',
  '6/sentinel-loaded-source-enum': 'The `source` of `sentinel.loaded` is `file` or `inline`.',
  '6/sentinel-unloaded':
    '`sentinel.unloaded` carries `sentinelId`, `codonId`, `reason`, `finalCost` and `llmCallCount`, and may carry `errorType`.',
  '6/sentinel-unloaded-reason-enum':
    'The `reason` of `sentinel.unloaded` is `codon-complete`, `fatal-error`, `consecutive-failures` or `shutdown`.',
  '6/sentinel-unloaded-error-type-enum':
    'The `errorType` of `sentinel.unloaded` is `template`, `configuration`, `corruption` or `resource`.',
  '6/sentinel-output':
    '`sentinel.output` carries `sentinelId`, `codonId`, `triggerNumber`, `outputType`, `content`, `cost`, `tokens` and `eventCount`.',
  '6/sentinel-output-type-enum': '`outputType` is `text` or `structured`.',
  '6/sentinel-output-content': 'The `content` of `sentinel.output` is a string or a map.',
  '6/sentinel-output-tokens': 'The `tokens` of `sentinel.output` hold `input` and `output`.',
  '6/sentinel-error':
    '`sentinel.error` carries `sentinelId`, `codonId`, `errorType`, `message`, `retriable` and `consecutiveFailureCount`.',
  '6/sentinel-error-type-enum':
    'The `errorType` of `sentinel.error` is `llm-call-failed`, `template-render-failed` or `file-write-failed`.',
  '6/sentinel-triggered':
    '`sentinel.triggered` carries `sentinelId`, `codonId`, `triggerNumber`, `strategy`, `eventCount` and `queueSize`.',
  '6/sentinel-triggered-strategy-enum':
    'The `strategy` of `sentinel.triggered` is `immediate`, `debounce`, `count` or `timeWindow`.',
  '6/sentinel-triggered-usually-disabled':
    '`sentinel.triggered` is not sent unless `reportToWebsocket.triggers` turns it on.',
  '6/server-ready':
    '`server.ready` carries `serverVersion`, `executionPath` and `dataPath`, and may carry the number `proxyPort`.',
  '6/server-ready-right-after-handshake': '`server.ready` is the first event after the handshake response.',
  '6/pong': '`pong` carries `message` and `timestamp`, and the message is always `pong`.',
  '6/pong-client-id': '`pong` carries `clientId` only when it answers `ping.broadcast`.',
  '6/history-batch': '`history.batch` carries `events` (a list of `ServerEvent`) and boolean `hasMore`.',
  '6/incomplete-codon':
    '`incomplete.codon` carries `codonId`, `codonName` and `message`, and is marked deprecated: clients take it, the server never sends it.',
  '6/history-at-handshake':
    'A handshake with `sendPreviousEvents` true returns recent events of the current session in `eventHistory`.',
  '6/no-webhooks': 'Nothing is pushed to the outside except over the WebSocket.',
} as const satisfies RequirementTable
