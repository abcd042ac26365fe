/** The system's code (`ENOENT`, `EACCES`, …) of something that was thrown, if it carries one. Never throws. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
