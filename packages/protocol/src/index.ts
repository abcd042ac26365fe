/**
 * The language of weave: what travels between a server and its clients, and what a state is.
 *
 * Owns the tables of commands, events, transitions and error codes, the envelopes, the handshake, the state and the
 * one function that computes it. Knows nothing of files, sockets or Node.
 */
export {
  type Command,
  type CommandData,
  type CommandInput,
  type CommandType,
  commands,
  commandTypes,
} from './commands.ts'
export type { DirectEvent, JournaledEvent, ServerEvent } from './envelope.ts'
export { type ErrorCode, errorCodes } from './error-codes.ts'
export {
  codonOf,
  type EventFilter,
  type FilteredEvent,
  fitsFilter,
  isFailure,
  isOfCodon,
  mayFail,
  occursIn,
} from './event-filter.ts'
export type { EventCategory } from './event-row.ts'
export {
  type DirectType,
  type EventData,
  type EventType,
  type ExtensionType,
  events,
  eventTypes,
  isEventType,
  type JournaledType,
} from './events.ts'
export type { DecidedBy, DecisionVia, GateDecision } from './gates.ts'
export {
  batchExtension,
  type ClientMode,
  type HandshakeInput,
  type HandshakeRequest,
  type HandshakeResponse,
  weaveExtension,
} from './handshake.ts'
export { lineageOf, type Origin, originIn, originOf } from './lineage.ts'
export { type CopiedOutputs, outputsOf } from './outputs.ts'
export {
  type ClientMessage,
  parseClientMessage,
  parseEvent,
  parseServerFrame,
  parseServerMessage,
  parseTransition,
  type ServerMessage,
} from './parse.ts'
export { type ProblemCode, problemCodes } from './problem-codes.ts'
export {
  type AttemptSpan,
  type BatchPage,
  type CheckpointEntry,
  type CheckpointList,
  type ComparedExecutions,
  type CostList,
  type EventPage,
  type ExecutionHead,
  type ExecutionList,
  type ExecutionRow,
  type ExecutionStatus,
  type FleetBatch,
  type FleetExecution,
  type FleetPage,
  type FleetState,
  type FleetThrottle,
  type FleetWorker,
  fleetStates,
  type GateList,
  type Hello,
  type LinkRequest,
  linkRequest,
  type PlanLimit,
  type PlanOutline,
  type ReadError,
  type ReadErrorCode,
  readApi,
  readErrors,
  type SentinelList,
  type Series,
  type SeriesName,
  type SpanList,
  sessionRequest,
  type VersionDiff,
  type WayBackPreview,
  type WebLink,
  type WebSession,
  type WorstUse,
} from './read-api.ts'
export {
  codonMoves,
  currentRun,
  isLive,
  type LiveCodon,
  liveCodon,
  type Reduction,
  reduce,
  summarize,
} from './reduce.ts'
export type {
  Bounded,
  ReportAttempt,
  ReportBudget,
  ReportCheckpoint,
  ReportCost,
  ReportData,
  ReportError,
  ReportEvents,
  ReportFile,
  ReportOutputs,
  ReportRun,
  ReportSetting,
  ReportTotals,
  SentinelOutput,
  SpendingPoint,
  TokenClasses,
} from './report.ts'
export {
  type CodonExecution,
  emptyState,
  type RunState,
  type RunStatus,
  type StateSummary,
  type WeaveState,
  weaveState,
} from './state.ts'
export {
  isTransitionType,
  type Transition,
  type TransitionData,
  type TransitionType,
  transitions,
  transitionTypes,
} from './transitions.ts'
export type {
  BudgetBreach,
  CheckpointInfo,
  CheckpointType,
  CheckpointWord,
  CodonStatus,
  FailureReason,
  FileNode,
  Immutable,
  LiveCodonStatus,
  ProcessExit,
  SentinelState,
  TokenCounts,
} from './values.ts'
