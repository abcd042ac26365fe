import { namedCertificates, outboundProxy, readUpstream, tryPort } from '../proxy/index.ts'
import type { Finding } from './finding.ts'

export interface ProxyToCheck {
  /** Whether a run would start it. */
  readonly isOn: boolean
  readonly upstream: string
  /** Of the control socket; the proxy wants the next one. 0: whichever is free. */
  readonly controlPort: number
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** What the proxy between agents and their provider would meet, also when it is off. Never rejects. */
export async function proxyFindings(options: ProxyToCheck): Promise<readonly Finding[]> {
  return [await proxyPort(options), outbound(options), ...certificates(options)]
}

/** What stops the proxy stops a run only when it is on. */
function stopping({ isOn }: ProxyToCheck): 'bad' | 'poor' {
  return isOn ? 'bad' : 'poor'
}

async function proxyPort(options: ProxyToCheck): Promise<Finding> {
  const { controlPort } = options
  const name = 'proxy port'
  const wanted = controlPort === 0 ? 0 : controlPort + 1
  const found = await tryPort(wanted)
  if (!found.ok) {
    const detail = `${wanted} on 127.0.0.1: ${found.code}`
    const cure = 'Choose another --port, or run without --proxy.'
    return { name, verdict: stopping(options), detail, cure }
  }
  if (wanted === 0) return { name, verdict: 'good', detail: 'a free one can be had on 127.0.0.1' }
  if (found.port === wanted) return { name, verdict: 'good', detail: `${wanted} is free on 127.0.0.1` }
  const cure =
    'With --proxy one that is free is taken instead; choose another --port to have it next to that.'
  return { name, verdict: 'poor', detail: `${wanted} cannot be had`, cure }
}

function outbound(options: ProxyToCheck): Finding {
  const name = 'outbound proxy'
  const verdict = stopping(options)
  const read = readUpstream(options.upstream)
  if (!read.ok) return { name, verdict, detail: withoutStop(read.message), cure: 'Correct vendorBaseUrl.' }
  const { hostname } = read.upstream
  const found = outboundProxy(read.upstream, options.environment)
  if (!found.ok) {
    const cure = `Correct it, or add ${hostname} to NO_PROXY.`
    return { name, verdict, detail: withoutStop(found.message), cure }
  }
  const { proxy, variable } = found
  if (variable === undefined) return { name, verdict: 'good', detail: `none, straight to ${hostname}` }
  const detail = proxy
    ? `${proxy.hostname}:${proxy.port} (${variable})`
    : `${variable} is set but not for ${hostname}`
  return { name, verdict: 'good', detail }
}

function certificates({ environment }: ProxyToCheck): readonly Finding[] {
  return namedCertificates(environment).map(({ variable, path, problem }) => {
    const name = 'certificates'
    if (problem === undefined) return { name, verdict: 'good', detail: `${path} can be read (${variable})` }
    const cure = `Correct ${variable}, or take it away; as it is, nobody is trusted because of it.`
    return { name, verdict: 'poor', detail: `${path}: ${problem} (${variable})`, cure }
  })
}

/** A detail is no sentence; its cure follows it. */
function withoutStop(message: string): string {
  return message.replace(/\.$/, '')
}
