/**
 * The typed client of a weave server, for Node and browsers, and the one picture that every face draws.
 *
 * Owns the connection (handshake, order, coming back after a loss), the answers to commands, the view of an execution
 * and the words for it. Knows nothing of files, screens or frameworks; the WebSocket to use is handed in.
 *
 * What the faces need of the language is handed on from here, so that they depend on this package only.
 */
export type {
  AttemptSpan,
  BatchPage,
  BudgetBreach,
  CheckpointEntry,
  CheckpointInfo,
  CheckpointList,
  CheckpointType,
  CheckpointWord,
  ClientMode,
  CodonExecution,
  CodonStatus,
  Command,
  CommandData,
  CommandInput,
  CommandType,
  ComparedExecutions,
  CostList,
  DirectEvent,
  ErrorCode,
  EventCategory,
  EventData,
  EventFilter,
  EventPage,
  EventType,
  ExecutionHead,
  ExecutionList,
  ExecutionRow,
  ExecutionStatus,
  ExtensionType,
  FailureReason,
  FileNode,
  FleetBatch,
  FleetExecution,
  FleetPage,
  FleetState,
  FleetThrottle,
  FleetWorker,
  GateList,
  Hello,
  JournaledEvent,
  JournaledType,
  LinkRequest,
  PlanLimit,
  PlanOutline,
  ProcessExit,
  ReadError,
  ReadErrorCode,
  ReportAttempt,
  ReportRun,
  ReportSetting,
  ReportTotals,
  RunState,
  RunStatus,
  SentinelList,
  SentinelState,
  Series,
  SeriesName,
  ServerEvent,
  ServerMessage,
  SpanList,
  StateSummary,
  TokenClasses,
  TokenCounts,
  Transition,
  TransitionType,
  VersionDiff,
  WayBackPreview,
  WeaveState,
  WebLink,
  WebSession,
  WorstUse,
} from '@weave/protocol'
export {
  batchExtension,
  codonOf,
  commands,
  commandTypes,
  errorCodes,
  events,
  eventTypes,
  fitsFilter,
  isEventType,
  isFailure,
  isLive,
  parseEvent,
  parseServerMessage,
  readApi,
  readErrors,
  weaveExtension,
} from '@weave/protocol'
export { connect, type SocketClientOptions } from './client.ts'
export {
  activityText,
  type DescribeOptions,
  decisionText,
  describedTypes,
  describeEvent,
  describeRecorded,
} from './describe-event.ts'
export {
  type EventWindow,
  eventWindow,
  type WantedRange,
  type WindowEvent,
  type WindowRows,
} from './event-window.ts'
export {
  type FileVersion,
  type FileVersions,
  fileVersionCaps,
  noFileVersions,
  reduceFileVersions,
} from './file-versions.ts'
export { cut, harmless, harmlessJson, harmlessLine } from './harmless.ts'
export type { HistoryBatch } from './history.ts'
export { type DiffLine, lineDiff } from './line-diff.ts'
export { clockText, dateText, months, timeText } from './local-time.ts'
export type { ClientErrorCode, ReplyEvent, SendFailure, SendResult } from './pending-commands.ts'
export type { Timers } from './platform.ts'
export {
  clientCloseCodes,
  defaultReconnect,
  isFinalClose,
  type ReconnectPolicy,
  reconnectDelay,
} from './reconnect.ts'
export type { ClientStatus } from './reconnecting-connection.ts'
export { type Ring, ringItems } from './ring.ts'
export { createStore, type StoreOptions, type ViewStore } from './store.ts'
export {
  type Connect,
  type Connected,
  linkTransports,
  type MemoryLink,
  type SocketConstructor,
  type SocketLike,
  socketConnect,
  type Transport,
} from './transport.ts'
export { reduceView, withConnection } from './view.ts'
export { type GateView, openGate } from './view-gates.ts'
export { type LimitUse, limitUses } from './view-limits.ts'
export { currentCheckpoints, type RollbackPreview, rollbackPreview } from './view-machine.ts'
export {
  type Breach,
  type Checkpoint,
  type ContextUse,
  emptyView,
  type FileChange,
  type Limit,
  type LimitScope,
  type LoopProgress,
  type Machine,
  type OutputCopy,
  type Plan,
  type PlanItem,
  type PromptFiles,
  type RollbackProgress,
  type SentinelView,
  type StreamEntry,
  type StreamKind,
  type Totals,
  type View,
  viewCaps,
  type Waiting,
} from './view-model.ts'
export {
  type CodonLine,
  currentCodon,
  elapsedOf,
  failedCodon,
  isCostUnknown,
  type LoopLine,
  type OutlineLine,
  outlineOf,
  type RunLine,
  runOf,
} from './view-outline.ts'
export {
  breachAmounts,
  codonStatusWords,
  dollarsText,
  durationText,
  exitText,
  type MoneyOptions,
  runStatusWords,
  tokenCountsText,
  tokensText,
  untilText,
} from './view-text.ts'
export type {
  ClientOptions,
  OpenResult,
  SendArguments,
  SendOptions,
  Session,
  WeaveClient,
} from './weave-client.ts'
