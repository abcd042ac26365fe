/** The system's code (`ENOENT`, `EACCES`, …) of something that was thrown, if it carries one. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The system's words without its paths, which may be those of descriptors: `no space left on device (ENOSPC)`. */
export function wordsOf(error: unknown): string {
  const text = messageOf(error)
  const words = /^[A-Z0-9]+: (.+?), \w+/.exec(text)?.[1]
  return words === undefined ? text : `${words} (${errorCode(error)})`
}

/** What a function gives that can be refused. `Good` and `Bad` are the fields besides `ok`. */
export type Result<Good extends object = object, Bad extends object = { readonly message: string }> =
  | ({ readonly ok: true } & Good)
  | Refused<Bad>

export type Refused<Bad extends object = { readonly message: string }> = { readonly ok: false } & Bad

/** What a person needs to go on: what is wrong, and what to do. */
export interface Failure {
  readonly message: string
  readonly cure: string
}
