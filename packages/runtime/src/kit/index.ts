/**
 * The tool box: time, ids, files, processes, lines, globs, logs. It owns the few places where the program touches the
 * system directly, and makes them bounded, safe against a hostile file tree, and testable. It does not know what the
 * program is for: nothing in here names a thing of the domain, reads settings, prints, or decides what happens next.
 */
export { type Admission, admitFirst, createAdmission } from './admission.ts'
export { type AsyncQueue, createAsyncQueue } from './async-queue.ts'
export { type Clock, systemClock } from './clock.ts'
export { connectionShare } from './descriptor-limit.ts'
export { errorCode, messageOf, wordsOf } from './error-code.ts'
export { createFileLog, type FileLog, type FileLogOptions } from './file-log.ts'
export {
  createMatcher,
  type MatcherLimits,
  type MatcherResult,
  type PatternRefusal,
  refusePatterns,
} from './globs.ts'
export { createId } from './ids.ts'
export { isoTime } from './iso-time.ts'
export { fieldOf, fieldsOf, isObject, type JsonObject, listOf, numberOf, textOf } from './json-fields.ts'
export {
  escapeLineSeparators,
  type Line,
  type LineSplitter,
  type ReadLinesOptions,
  readLines,
  splitLines,
} from './json-lines.ts'
export { formatKey, formatPath, type JsonPath, valueAt } from './json-path.ts'
export {
  type JsonSource,
  type JsonSourceOptions,
  type JsonSourceResult,
  parseJsonSource,
} from './json-source.ts'
export { type Listening, listen } from './listen.ts'
export { type Log, type LogFields, type LogLevel, logLevels, silentLog } from './log.ts'
export { type LogEntry, type MemoryLog, memoryLog } from './memory-log.ts'
export { didYouMean, nearestNames } from './nearest-names.ts'
export { createPeerUserCheck } from './peer-user.ts'
export {
  type Collector,
  collector,
  errorsOf,
  formatProblem,
  hasErrors,
  type Place,
  type Problem,
  type Severity,
  sortProblems,
  warningsOf,
} from './problems.ts'
export { type OutputStream, type ProcessHandle, type ProcessOptions, run, start } from './process.ts'
export { signalGroup } from './process-group.ts'
export { isAlive, processStartTime } from './process-identity.ts'
export { findMarked, type Marker } from './process-marker.ts'
export type { ProcessResult } from './process-result.ts'
export { endOwned, killMarked, type SweepOptions, type SweepResult } from './process-sweep.ts'
export { processTable } from './process-table.ts'
export { watchProcess } from './process-watch.ts'
export { createRedactor, type RedactingStream, type Redactor } from './redact.ts'
export { createRequestGate, type RequestGate } from './request-gate.ts'
export type { Refused, Result } from './result.ts'
export { retryAfterOf } from './retry-after.ts'
export { createScope, type Scope, type UndoFailure } from './scope.ts'
export { type Secret, secretsOf } from './secret-variables.ts'
export { createSemaphore, type Semaphore } from './semaphore.ts'
export { createSerialQueue, type SerialQueue } from './serial-queue.ts'
export { type JsonShape, shapeFits } from './shape-fits.ts'
export { type ShapeOptions, type ShapeSource, shapeProblems } from './shape-problems.ts'
export { isTokenCount } from './token-count.ts'
export { startWarden, type Warden, type WardenOptions } from './warden.ts'
export type { WardenProgram } from './warden-process.ts'
export { runWarden } from './warden-program.ts'
export { type Deadline, inTime, within } from './within.ts'
