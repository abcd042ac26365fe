import { parentPort } from 'node:worker_threads'
import { messageOf } from '../kit/index.ts'
import { jobStarted, type SandboxAnswer, type SandboxJob, type TimedJob } from './sandbox-job.ts'

/**
 * The isolated thread: does one job after the other until it is ended. Call it as the entry of a worker thread. What runs
 * templates and what compares with schemas is loaded when the first job needs it.
 */
export function runSandboxWorker(): void {
  const port = parentPort
  if (!port) throw new Error('runSandboxWorker is for the entry of a worker thread')
  port.on('message', (job: TimedJob) => {
    void answerTo(job, () => port.postMessage(jobStarted)).then(answer => port.postMessage(answer))
  })
}

async function answerTo({ job, milliseconds }: TimedJob, start: () => void): Promise<SandboxAnswer> {
  try {
    if (job.kind === 'render') {
      const { loadEngine, runTemplate } = await import('./run-template.ts')
      const engine = await loadEngine()
      start()
      return runTemplate(engine, job, milliseconds)
    }
    const zod = await import('zod')
    start()
    return fitsSchema(zod, job)
  } catch (error) {
    const message = messageOf(error)
    return { ok: false, kind: 'limit', message, isBroken: true }
  }
}

/**
 * Compares a value with a JSON Schema. Runs in the isolated thread because a schema of a hank may hold a pattern that
 * takes for ever on some text. No code in a schema is evaluated.
 */
function fitsSchema(z: Zod, job: SandboxJob & { readonly kind: 'validate' }): SandboxAnswer {
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

function usable(z: Zod, schema: string) {
  try {
    return { ok: true as const, type: z.fromJSONSchema(JSON.parse(schema) as GivenSchema) }
  } catch (error) {
    return { ok: false as const, message: messageOf(error) }
  }
}
