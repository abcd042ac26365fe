import { type ExitCode, signalCodes } from '../program.ts'

/**
 * Work that ends early, and in good order, when the process is asked to end. The exit code is then that of the signal; what
 * the work rejects with after one is nobody's concern.
 */
export async function untilSignal(work: (signal: AbortSignal) => Promise<ExitCode>): Promise<ExitCode> {
  const asked = new AbortController()
  let code: ExitCode | undefined
  const handle = (signal: NodeJS.Signals): void => {
    code ??= signalCodes[signal as keyof typeof signalCodes]
    asked.abort(new Error(`asked to end by ${signal}`))
  }
  const names = Object.keys(signalCodes) as (keyof typeof signalCodes)[]
  for (const name of names) process.on(name, handle)
  try {
    const done = await work(asked.signal)
    return code ?? done
  } catch (error) {
    if (code !== undefined) return code
    throw error
  } finally {
    for (const name of names) process.off(name, handle)
  }
}
