/**
 * Anonymous usage telemetry: how often and how runs go, never what they are about.
 *
 * Owns what a payload may hold, how it is counted from events, where it is shown and how it is sent. Nothing leaves the
 * machine without an address that a person configured. It never slows, delays or fails a run: whatever goes wrong here is
 * dropped. Who may be asked, and which settings hold, is decided elsewhere and handed in.
 */
export type { PayloadFacts } from './payload.ts'
export { createTelemetry, createUsageCount } from './telemetry.ts'
