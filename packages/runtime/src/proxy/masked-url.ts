/** Path and query for a log: the values of parameters that hold keys are masked. */
export function maskedUrl(url: string): string {
  if (!url.includes('?')) return url
  return url.replace(/([?&;](?:[^=&;]*(?:key|token|sig|secret|password)[^=&;]*)=)[^&;]*/gi, '$1[masked]')
}
