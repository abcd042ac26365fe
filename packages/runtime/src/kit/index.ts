/**
 * The tool box: time, ids, processes, queues, JSON with its places, globs, secrets, logs. Owns the few places where the
 * program touches the system directly, bounded and testable. Does not know what the program is for: nothing here names a
 * thing of the domain, reads settings, prints, or decides what happens next.
 */
export {
  type Admission,
  admitFirst,
  connectionShare,
  createAdmission,
  createOriginCheck,
  type OriginCheck,
} from './admission.ts'
export { type Clock, type Deadline, inTime, isoTime, systemClock, within } from './clock.ts'
export { errorCode, type Failure, messageOf, type Refused, type Result, wordsOf } from './errors.ts'
export { createAppender, createFileLog, type FileLogOptions } from './file-log.ts'
export { createMatcher, refusePatterns } from './globs.ts'
export { createId } from './ids.ts'
export {
  fieldOf,
  fieldsOf,
  formatKey,
  formatPath,
  isObject,
  isTokenCount,
  type JsonObject,
  type JsonPath,
  listOf,
  numberOf,
  textOf,
  valueAt,
} from './json-fields.ts'
export { escapeLineSeparators, type Line, readLines, readRecords, splitLines } from './json-lines.ts'
export { type JsonCode, type JsonSource, parseJsonSource } from './json-source.ts'
export { type Leash, type Moment, moment, startLeash, untilAfter } from './leash.ts'
export { createLeashedClock, type LeashedClock } from './leashed-clock.ts'
export { type Listening, listen } from './listen.ts'
export { type Log, type LogFields, type LogLevel, logLevels, silentLog } from './log.ts'
export { didYouMean, nearestNames } from './nearest-names.ts'
export { createPeerMarkCheck } from './peer-process.ts'
export { createPeerUserCheck } from './peer-user.ts'
export {
  type Collector,
  collector,
  type Edit,
  errorsOf,
  type Fix,
  formatProblem,
  hasErrors,
  type Place,
  type Problem,
  problemOf,
  type Severity,
  type Spot,
  sortProblems,
  warningsOf,
  withFixes,
} from './problems.ts'
export { type OutputStream, type ProcessOptions, type ProcessResult, run, start } from './process.ts'
export { findMarked, type Marker } from './process-clues.ts'
export { keepTail, streamClosed, tailLength } from './process-output.ts'
export { killMarked, signalGroup } from './process-sweep.ts'
export { isAlive, processStartTime, processTable } from './process-table.ts'
export {
  type AsyncQueue,
  createAsyncQueue,
  createSemaphore,
  createSerialQueue,
  type Semaphore,
} from './queues.ts'
export { createRedactor, type Redactor } from './redact.ts'
export { retryAfterOf } from './retry-after.ts'
export { createScope, type Scope } from './scope.ts'
export { type Secret, secretsOf } from './secrets.ts'
export { type JsonShape, shapeFits } from './shape-fits.ts'
export { type Said, type ShapeFault, type ShapeOptions, shapeProblems } from './shape-problems.ts'
export { type LaunchOptions, type ProcessEnd, type Supervised, supervise } from './supervisor.ts'
export { startWarden, type WardenOptions } from './warden.ts'
export { runWarden } from './warden-program.ts'
