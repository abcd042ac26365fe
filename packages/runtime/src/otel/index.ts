/**
 * OpenTelemetry: the journal as spans, sent live to a person's own collector or exported afterwards.
 *
 * Owns what a span holds and what it is called, the ids, the vocabularies, how far a collector has got, and how it is asked.
 * The fold is pure; the packages that encode and measure are loaded only when something is sent. It never slows, delays or
 * fails a run, and writes nothing into the journal. It has nothing to do with `telemetry`, which counts for its makers.
 */
export { type Collector, collectorOf, endpointVariable } from './collector.ts'
export { readSentNote } from './cursor.ts'
export { type CollectorClient, openCollector, type Posted } from './export.ts'
export { createFold, type Fold, type FoldOptions } from './fold.ts'
export { attemptKey, isSampled, readTraceparent, spanIdOf, traceIdOf, traceparentOf } from './ids.ts'
export { type LiveTraces, startLiveTraces, type TracesEntry } from './live.ts'
export { pastEvents } from './past-events.ts'
export { withPrompts } from './prompts.ts'
export { type Reading, sendReadings } from './readings.ts'
export type { EndedSpan } from './span.ts'
export { runTracesThread } from './thread.ts'
export { tryCollector } from './try-collector.ts'
