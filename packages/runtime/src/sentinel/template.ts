import type { Redactor, Result } from '../kit/index.ts'
import { type Batch, mostCharacters } from './event-batch.ts'
import type { ObservedCodon } from './events.ts'
import type { Sandbox } from './sandbox.ts'
import type { SandboxFailure } from './sandbox-job.ts'

/** A prompt that is ready to be filled in. */
export interface Template {
  /** Never rejects. What comes out has no secrets in it. */
  render(data: TemplateData): Promise<Rendered>
}

/** What a template sees as `it`. */
export interface TemplateData {
  readonly batch: Batch
  readonly codon: ObservedCodon
  readonly now: Date
}

export type Rendered = Result<{ readonly text: string }, NotRendered>

export interface NotRendered {
  readonly message: string
  /**
   * It would fail the same way again: `resource` when it took too much time, memory or room, `template` when it names
   * something that does not exist.
   */
  readonly lasting?: 'resource' | 'template' | undefined
}

/** Builds a template, to find out at once whether it can be. Runs none of it. */
export async function createTemplate(
  source: string,
  { sandbox, redactor }: { readonly sandbox: Sandbox; readonly redactor: Redactor },
): Promise<Result<{ readonly template: Template }>> {
  const program = compileTemplate(source)
  if (program.kind === 'broken') return { ok: false, message: program.message }
  if (program.kind === 'text') {
    const text = redactor.text(program.text)
    return { ok: true, template: { render: async () => ({ ok: true, text }) } }
  }
  const { code, lines } = program
  const built = await sandbox.run({ kind: 'render', code })
  if (!built.ok) return { ok: false, message: placed(built, lines) }
  const render = async (data: TemplateData): Promise<Rendered> => {
    const answer = await sandbox.run({ kind: 'render', code, it: itOf(data) })
    // A secret that two events held in halves is whole only here.
    if (answer.ok) return { ok: true, text: redactor.text(answer.text) }
    return { ok: false, message: placed(answer, lines), lasting: lastingOf[answer.kind] }
  }
  return { ok: true, template: { render } }
}

const lastingOf = { limit: 'resource', program: 'template', run: undefined } as const

function placed({ message, line }: SandboxFailure, lines: readonly number[]): string {
  const own = line === undefined ? undefined : lines[line - 1]
  return own === undefined ? message : `line ${own}: ${message}`
}

function itOf({ batch, codon, now }: TemplateData): string {
  const { id, name, description = null, startTime } = codon
  const world = { currentTime: now.toISOString() }
  const rest = JSON.stringify({ codon: { id, name, description, startTime }, world })
  return `{"events":[${newestThatFit(batch).join(',')}],${rest.slice(1)}`
}

function newestThatFit({ events }: Batch): readonly string[] {
  const texts: string[] = []
  let room = mostCharacters
  for (const event of events.toReversed()) {
    const text = JSON.stringify(event)
    room -= text.length
    if (room < 0) break
    texts.push(text)
  }
  return texts.reverse()
}

/** A prompt as a program: what the isolated interpreter runs. */
type TemplateProgram =
  /** A prompt without tags is its own text. */
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'program'
      readonly code: string
      /** For each line of the code, the line of the template that it comes from; both count from 1. */
      readonly lines: readonly number[]
    }
  | { readonly kind: 'broken'; readonly message: string }

const opening = '<%'
const closing = '%>'

/**
 * Turns a template into the source of a JavaScript function of `it` that returns the text. `<%= … %>` prints a value,
 * `<% … %>` is code, and the line break right after code is not printed. Code ends at the first `%>`, also inside a
 * string.
 *
 * Nothing is evaluated here, and only what the author of the hank wrote becomes code: what events say comes in as data
 * when the function is called. One pass, linear.
 */
export function compileTemplate(template: string): TemplateProgram {
  if (!template.includes(opening)) return { kind: 'text', text: template }
  const writer = createWriter()
  let at = 0
  for (;;) {
    const start = template.indexOf(opening, at)
    if (start === -1) break
    writer.text(template.slice(at, start))
    const end = template.indexOf(closing, start)
    if (end === -1) return { kind: 'broken', message: `line ${writer.line}: ${opening} is never closed` }
    const code = template.slice(start + opening.length, end)
    at = end + closing.length
    if (code.startsWith('=')) {
      writer.print(code.slice(1))
      continue
    }
    writer.code(code)
    const lineBreak = /^\r?\n/.exec(template.slice(at, at + 2))?.[0] ?? ''
    writer.skip(lineBreak)
    at += lineBreak.length
  }
  writer.text(template.slice(at))
  return { kind: 'program', ...writer.end() }
}

/**
 * The two times come as text and become dates, which read as ISO text wherever they are made a text. A list or an object
 * prints as JSON, and nothing prints as nothing.
 */
const head = [
  '(function (it) { let __text = "";',
  'const __date = time => Object.defineProperty(new Date(time), "toString", { value: Date.prototype.toISOString });',
  'it.world.currentTime = __date(it.world.currentTime); it.codon.startTime = __date(it.codon.startTime);',
  'const __print = value => {',
  '__text += value === undefined || value === null ? ""',
  ': value instanceof Date && !isNaN(value) ? value.toISOString()',
  ': typeof value === "object" ? JSON.stringify(value) : String(value)',
  '};',
].join(' ')

/** Every piece is on lines of its own, so that no comment swallows what follows and statements need no semicolon. */
function createWriter() {
  const pieces: string[] = []
  const lines: number[] = []
  let line = 1

  function write(code: string, isFromTemplate = false): void {
    const count = code.split('\n').length
    for (let added = 0; added < count; added++) lines.push(isFromTemplate ? line + added : line)
    pieces.push(code)
  }

  function skip(text: string): void {
    line += text.split('\n').length - 1
  }

  function code(text: string): void {
    write(text, true)
    skip(text)
  }

  write(head)
  return {
    get line() {
      return line
    },
    skip,
    code,
    text(text: string) {
      if (text !== '') write(`__text += ${JSON.stringify(text)};`)
      skip(text)
    },
    print(expression: string) {
      write('__print(')
      code(expression)
      write(');')
    },
    end() {
      write('return __text })')
      return { code: pieces.join('\n'), lines }
    },
  }
}
