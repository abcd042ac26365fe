import { retryAfterOf as fromHeaders } from '../../../kit/index.ts'

/** How long the provider asks to wait, in milliseconds: as headers or, from Google, in the body of its refusal. */
export function retryAfterOf(
  headers: Pick<Headers, 'get'>,
  body: string,
  clock: { now(): Date },
): number | undefined {
  const asked = fromHeaders(name => headers.get(name), clock.now())
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1]
  return asked ?? (seconds === undefined ? undefined : Number(seconds) * 1000)
}
