import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createId } from '../kit/index.ts'
import type { Harness, HarnessSpec } from './harness.ts'
import type { HarnessEvent } from './harness-event.ts'

/** A step of a script: what the pretended agent does next. */
export type ScriptStep =
  | { readonly say: string }
  | { readonly write: string; readonly content: string }
  | { readonly usage: { readonly input: number; readonly output: number; readonly dollars: number } }
  | { readonly fail: string; readonly retriable: boolean }

/**
 * An agent that follows a script instead of a model. The files it writes are real; nothing else is. It serves the first
 * run of a newcomer and the tests of everything around an agent.
 */
export function createScriptedHarness(scriptOf: (spec: HarnessSpec) => readonly ScriptStep[]): Harness {
  return {
    async *start(spec, signal) {
      yield { type: 'session', sessionId: createId('ses') }
      for (const [at, step] of scriptOf(spec).entries()) {
        if (signal.aborted) {
          yield stopped
          return
        }
        yield* perform(spec, step, String(at))
        if ('fail' in step) return
      }
      yield { type: 'ended', end: { ok: true } }
    },
  }
}

const noTokens = { cacheCreationTokens: 0, cacheReadTokens: 0 }

const stopped: HarnessEvent = {
  type: 'ended',
  end: {
    ok: false,
    exit: { type: 'killed', signal: 'SIGTERM' },
    reason: { type: 'unknown', retriable: false, message: 'The agent was stopped.' },
  },
}

async function* perform(spec: HarnessSpec, step: ScriptStep, id: string): AsyncGenerator<HarnessEvent> {
  if ('say' in step) yield { type: 'text', text: step.say }
  else if ('write' in step) yield* writeFileAsTool(spec.cwd, step, id)
  else if ('usage' in step) {
    const { input, output, dollars } = step.usage
    const tokens = { ...noTokens, inputTokens: input, outputTokens: output }
    yield { type: 'usage', messageId: id, tokens, dollars, modelId: spec.model }
  } else {
    const reason = { type: 'api-error', retriable: step.retriable, message: step.fail } as const
    yield { type: 'ended', end: { ok: false, exit: { type: 'error', code: 1 }, reason } }
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
