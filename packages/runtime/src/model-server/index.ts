/**
 * A scripted model on loopback, in every dialect that the harnesses speak.
 *
 * Owns how requests are read and answered on the wire, how a tool use becomes the call of the harness that asks, and the
 * script of a rehearsal. Knows nothing of hanks and runs nothing itself: what a tool does, the real agent does.
 */
export type { Answer, AnswerPart, GivenUsage, StopReason, ToolUse, Usage } from './answer.ts'
export type { DialectName, ModelRequest, ToolCall, ToolResult, Turn } from './model-request.ts'
export {
  type ModelServer,
  type ModelServerOptions,
  type RecordedRequest,
  type RequestObserver,
  startModelServer,
} from './model-server.ts'
export {
  createPlaces,
  createRehearsal,
  type Places,
  type Rehearsal,
  type RehearsalOptions,
} from './rehearsal.ts'
export { type RehearsalScript, rehearsalScript } from './rehearsal-script.ts'
export { createScriptedGates, type GateAnswer, type ScriptedGates } from './scripted-gates.ts'
