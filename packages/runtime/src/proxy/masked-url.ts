/**
 * Path and query for a log: the values of parameters that hold keys are masked. Anybody on this machine can ask with any query,
 * so it is taken apart by hand, in one pass.
 */
export function maskedUrl(url: string): string {
  const start = url.indexOf('?')
  if (start === -1) return url
  return url.slice(0, start) + url.slice(start).replace(parameter, maskedParameter)
}

const parameter = /[?&;][^&;]*/g
const secretName = /key|token|sig|secret|password/i

function maskedParameter(text: string): string {
  const end = text.indexOf('=')
  return end !== -1 && secretName.test(text.slice(0, end)) ? `${text.slice(0, end + 1)}[masked]` : text
}
