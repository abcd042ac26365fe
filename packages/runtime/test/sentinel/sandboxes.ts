import { afterAll } from 'vitest'
import { fixtureProgram } from '../../../../test/support/fixture-program.ts'
import { createRedactor, type Redactor, systemClock } from '../../src/kit/index.ts'
import { createSandbox, type Sandbox, type SandboxEntry } from '../../src/sentinel/sandbox.ts'
import { createTemplate, type Rendered, type TemplateData } from '../../src/sentinel/template.ts'

export async function sandboxEntry(): Promise<SandboxEntry> {
  return { file: await fixtureProgram(new URL('./fixtures/sandbox-entry.ts', import.meta.url)) }
}

/** One for a file of tests; it is gone when they are done. */
export async function openSandbox(limits: { readonly milliseconds?: number } = {}): Promise<Sandbox> {
  const sandbox = createSandbox(await sandboxEntry(), systemClock, limits)
  afterAll(() => sandbox.close())
  return sandbox
}

export const noSecrets = createRedactor([])

export const anyData: TemplateData = {
  batch: { events: [], eventCount: 0 },
  codon: { id: 'draft', name: 'Draft', startTime: '2026-01-01T00:00:00.000Z' },
  now: new Date('2026-01-01T00:10:00.000Z'),
}

interface Rendering {
  readonly sandbox: Sandbox
  readonly data?: Partial<TemplateData>
  readonly redactor?: Redactor
}

export async function rendered(
  source: string,
  { sandbox, data, redactor = noSecrets }: Rendering,
): Promise<Rendered> {
  const created = await createTemplate(source, { sandbox, redactor })
  if (!created.ok) throw new Error(created.message)
  return created.template.render({ ...anyData, ...data })
}
