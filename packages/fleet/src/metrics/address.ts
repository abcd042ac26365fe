import { isIP } from 'node:net'

export interface MetricsAddress {
  /** Absent: only this machine. */
  readonly host?: string | undefined
  readonly port: number
}

/** A port, for this machine alone; or `host:port`. Undefined: it is neither. */
export function metricsAddress(text: string): MetricsAddress | undefined {
  const [, six, name, digits = ''] = /^(?:(?:\[([^\]]*)\]|([^:[\]]*)):)?(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === '' || port > 65_535) return undefined
  const host = six ?? name
  if (host === undefined) return { port }
  if (six !== undefined && isIP(six) !== 6) return undefined
  if (!/^[\w.:-]+$/.test(host)) return undefined
  return isLoopback(host) ? { port } : { host, port }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '127.0.0.1'
}
