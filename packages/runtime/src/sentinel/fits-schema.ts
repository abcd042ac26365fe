import { messageOf } from '../kit/index.ts'
import type { SandboxAnswer, SandboxJob } from './sandbox-job.ts'

/**
 * Compares a value with a JSON Schema. Runs in the isolated thread because a schema of a hank may hold a pattern that
 * takes for ever on some text. No code in a schema is evaluated.
 */
export function fitsSchema(z: Zod, job: SandboxJob & { readonly kind: 'validate' }): SandboxAnswer {
  const schema = usable(z, job.schema)
  if (!schema.ok) return { ok: false, kind: 'program', message: schema.message }
  if (job.value === undefined) return { ok: true, text: '' }
  const shape = job.each ? z.array(schema.type) : schema.type
  const result = shape.safeParse(JSON.parse(job.value))
  if (result.success) return { ok: true, text: '' }
  const message = z.prettifyError(result.error).slice(0, longestMessage)
  return { ok: false, kind: 'run', message }
}

const longestMessage = 500

type Zod = typeof import('zod')
type GivenSchema = Parameters<Zod['fromJSONSchema']>[0]

export function loadSchemas(): Promise<Zod> {
  return import('zod')
}

function usable(z: Zod, schema: string) {
  try {
    return { ok: true as const, type: z.fromJSONSchema(JSON.parse(schema) as GivenSchema) }
  } catch (error) {
    return { ok: false as const, message: messageOf(error) }
  }
}
