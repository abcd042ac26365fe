import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FailureReason } from '@weave/protocol'
import type { Harness, HarnessEvent, HarnessSpec } from '../../packages/runtime/src/harness/harness.ts'
import { createId } from '../../packages/runtime/src/kit/index.ts'

/** A step of a script: what the pretended agent does next. */
export type ScriptStep =
  | { readonly say: string }
  | { readonly think: string }
  | { readonly write: string; readonly content: string }
  | { readonly usage: { readonly input: number; readonly output: number; readonly dollars?: number } }
  | {
      readonly fail: string
      readonly retriable: boolean
      readonly retryAfterMs?: number
      readonly type?: FailureReason['type']
    }
  /** Until it is stopped. */
  | { readonly hang: true }
  /** A tool that runs until it is stopped. */
  | { readonly hangInTool: string }
  /** The context is full; the turn ends here. */
  | { readonly contextFull: true }

/**
 * An agent that follows a script instead of a model, one list of steps for each turn. The files it writes are real;
 * nothing else is. For the tests of everything around an agent.
 */
export function createScriptedHarness(
  scriptOf: (spec: HarnessSpec, turn: number) => readonly ScriptStep[],
): Harness {
  return {
    async *start(spec, signal) {
      yield { type: 'session', sessionId: createId('ses') }
      let prompt: string | undefined = spec.prompt
      for (let turn = 0; prompt !== undefined; turn++) {
        const end = yield* playTurn({ ...spec, prompt }, scriptOf({ ...spec, prompt }, turn), {
          signal,
          turn,
        })
        if (end) {
          yield end
          return
        }
        prompt = spec.nextPrompt()
      }
      yield { type: 'ended', end: { ok: true } }
    },
  }
}

interface Turn {
  readonly signal: AbortSignal
  readonly turn: number
}

/** Undefined when the turn went well, otherwise the end of everything. */
async function* playTurn(
  spec: HarnessSpec,
  script: readonly ScriptStep[],
  { signal, turn }: Turn,
): AsyncGenerator<HarnessEvent, HarnessEvent | undefined> {
  for (const [at, step] of script.entries()) {
    if (signal.aborted) return stopped
    if ('fail' in step) return failed(step)
    if ('contextFull' in step) {
      yield { type: 'context-full' }
      return { type: 'ended', end: { ok: false, exit: { type: 'error', code: 1 }, reason: overflow } }
    }
    yield* perform(spec, step, `${turn}.${at}`)
    if ('hang' in step || 'hangInTool' in step) {
      await aborted(signal)
      return stopped
    }
  }
  return signal.aborted ? stopped : undefined
}

const noTokens = { cacheCreationTokens: 0, cacheReadTokens: 0 }
const overflow: FailureReason = { type: 'api-error', retriable: false, message: 'The context is full.' }

const stopped: HarnessEvent = {
  type: 'ended',
  end: {
    ok: false,
    exit: { type: 'killed', signal: 'SIGTERM' },
    reason: { type: 'unknown', retriable: false, message: 'The agent was stopped.' },
  },
}

function failed(step: Extract<ScriptStep, { readonly fail: string }>): HarnessEvent {
  const { fail: message, retriable, type = 'api-error', retryAfterMs } = step
  const hint = retryAfterMs === undefined ? {} : { retryAfterMs }
  return {
    type: 'ended',
    end: { ok: false, exit: { type: 'error', code: 1 }, reason: { type, retriable, message }, ...hint },
  }
}

async function* perform(spec: HarnessSpec, step: ScriptStep, id: string): AsyncGenerator<HarnessEvent> {
  if ('say' in step) yield { type: 'text', text: step.say }
  else if ('think' in step) yield { type: 'thinking', text: step.think }
  else if ('hangInTool' in step)
    yield { type: 'tool-call', id, name: 'Bash', input: { command: step.hangInTool } }
  else if ('write' in step) yield* writeFileAsTool(spec.cwd, step, id)
  else if ('usage' in step) {
    const { input, output, dollars } = step.usage
    const tokens = { ...noTokens, inputTokens: input, outputTokens: output }
    yield {
      type: 'usage',
      messageId: id,
      tokens,
      ...(dollars !== undefined && { dollars }),
      modelId: spec.model,
    }
  }
}

async function* writeFileAsTool(
  cwd: string,
  step: { readonly write: string; readonly content: string },
  id: string,
): AsyncGenerator<HarnessEvent> {
  yield { type: 'tool-call', id, name: 'Write', input: { file_path: step.write, content: step.content } }
  const path = join(cwd, step.write)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, step.content)
  const output = `wrote ${step.content.length} characters to ${step.write}`
  yield { type: 'tool-result', id, name: 'Write', output, isError: false, durationMs: 0 }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
