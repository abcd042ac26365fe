import { setFlagsFromString } from 'node:v8'
import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSSyncVariant,
  QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import { renderLimits, type SandboxAnswer, type SandboxJob, startEffort } from './sandbox-job.ts'

/**
 * Runs the program of a template in an interpreter of its own, which has the language and nothing else: no module, no
 * function of ours, no clock but the date. Each run has a fresh one, so nothing is left for the next. Time, memory, depth
 * and output are limited; where the interpreter itself does not notice, the thread is ended from outside.
 *
 * Throws when the interpreter is damaged.
 */
export function runTemplate(
  engine: QuickJSWASMModule,
  { code, it }: RenderJob,
  milliseconds: number,
): SandboxAnswer {
  const runtime = engine.newRuntime()
  runtime.setMemoryLimit(renderLimits.bytes)
  runtime.setMaxStackSize(renderLimits.stackBytes)
  const effort = startEffort()
  runtime.setInterruptHandler(() => effort() > milliseconds)
  const context = runtime.newContext()
  const answer = evaluate(context, code, it)
  context.dispose()
  runtime.dispose()
  return answer
}

type RenderJob = SandboxJob & { readonly kind: 'render' }

let loaded: Promise<QuickJSWASMModule> | undefined

export function loadEngine(): Promise<QuickJSWASMModule> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<QuickJSWASMModule> {
  const [{ newQuickJSWASMModuleFromVariant }, variant] = await Promise.all([
    import('quickjs-emscripten-core'),
    import('@jitl/quickjs-singlefile-cjs-release-sync'),
  ])
  // Templates are short: optimising the interpreter for them takes longer than it saves, and 15 MB. What the flag says when a
  // module is compiled holds for that module, so others of the process are as before.
  setFlagsFromString('--liftoff-only')
  try {
    return await newQuickJSWASMModuleFromVariant(withoutWrapping(variant))
  } finally {
    setFlagsFromString('--no-liftoff-only')
  }
}

type Wrapped<T> = { readonly default: T | { readonly default: T } }

/** A package of CommonJS has its default inside another, or not, depending on who bundled it. */
function withoutWrapping({ default: inner }: Wrapped<QuickJSSyncVariant>): QuickJSSyncVariant {
  return 'default' in inner ? inner.default : inner
}

function evaluate(context: QuickJSContext, code: string, it: string | undefined): SandboxAnswer {
  const built = context.evalCode(code, fileName)
  if (built.error) return failure(context, built.error, 'program')
  if (it === undefined) {
    built.value.dispose()
    return { ok: true, text: '' }
  }
  const data = parsed(context, it)
  const result = context.callFunction(built.value, context.undefined, data)
  built.value.dispose()
  data.dispose()
  if (result.error) return failure(context, result.error, 'run')
  return textOf(context, result.value)
}

const fileName = 'prompt'

function parsed(context: QuickJSContext, json: string): QuickJSHandle {
  const text = context.newString(json)
  const value = context
    .unwrapResult(context.evalCode('JSON.parse'))
    .consume(parse => context.unwrapResult(context.callFunction(parse, context.undefined, text)))
  text.dispose()
  return value
}

function textOf(context: QuickJSContext, value: QuickJSHandle): SandboxAnswer {
  const text = context.typeof(value) === 'string' ? context.getString(value) : undefined
  value.dispose()
  if (text === undefined) return { ok: false, kind: 'run', message: 'the template returns something else' }
  if (text.length <= renderLimits.characters) return { ok: true, text }
  const message = `the prompt is longer than ${renderLimits.characters} characters`
  return { ok: false, kind: 'limit', message }
}

/** Of the interpreter, when it is stopped or has no room left. */
const limitNames: ReadonlyMap<string, string> = new Map([
  ['interrupted', 'it ran for too long'],
  ['out of memory', `it used more than ${renderLimits.bytes / 1024 / 1024} MiB of memory`],
  ['string too long', 'a text became too long'],
  ['stack overflow', 'it called itself too deeply'],
])

function failure(context: QuickJSContext, handle: QuickJSHandle, kind: 'program' | 'run'): SandboxAnswer {
  const { name, message, stack } = described(context, handle)
  handle.dispose()
  const limit = name === 'InternalError' ? limitNames.get(message) : undefined
  if (limit !== undefined) return { ok: false, kind: 'limit', message: limit }
  const line = /\bprompt:(\d+)/.exec(stack)?.[1]
  const what = message === '' ? 'the template failed' : message
  return {
    ok: false,
    kind: name === 'ReferenceError' || (name === 'SyntaxError' && kind === 'program') ? 'program' : 'run',
    message: short(name === '' ? what : `${name}: ${what}`),
    ...(line !== undefined && { line: Number(line) }),
  }
}

/** Anything can be thrown, also something that throws when it is read. */
function described(context: QuickJSContext, handle: QuickJSHandle) {
  const text = (key: string) =>
    context
      .getProp(handle, key)
      .consume(value => (context.typeof(value) === 'string' ? context.getString(value) : ''))
  try {
    if (context.typeof(handle) !== 'object')
      return { name: '', message: context.getString(handle), stack: '' }
    return { name: text('name'), message: text('message'), stack: text('stack') }
  } catch {
    return { name: '', message: 'the template failed', stack: '' }
  }
}

function short(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text
}
