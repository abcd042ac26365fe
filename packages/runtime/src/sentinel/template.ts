import type { Redactor } from '../kit/index.ts'
import { type Batch, mostCharacters } from './batch.ts'
import type { ObservedCodon } from './observed.ts'
import type { Sandbox } from './sandbox.ts'
import type { SandboxAnswer } from './sandbox-job.ts'
import { compileTemplate } from './template-source.ts'

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

export type Rendered =
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false
      readonly message: string
      /**
       * It would fail the same way again: `resource` when it took too much time, memory or room, `template` when it names
       * something that does not exist.
       */
      readonly lasting?: 'resource' | 'template'
    }

export type TemplateResult =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly message: string }

/** Builds a template, to find out at once whether it can be. Runs none of it. */
export async function createTemplate(
  source: string,
  { sandbox, redactor }: { readonly sandbox: Sandbox; readonly redactor: Redactor },
): Promise<TemplateResult> {
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
    const lasting = lastingOf[answer.kind]
    return { ok: false, message: placed(answer, lines), ...(lasting && { lasting }) }
  }
  return { ok: true, template: { render } }
}

type Failure = Extract<SandboxAnswer, { ok: false }>

const lastingOf = { limit: 'resource', program: 'template', run: undefined } as const

function placed({ message, line }: Failure, lines: readonly number[]): string {
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
