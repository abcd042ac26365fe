import { harmlessLine } from 'weave-client'

export interface ProxyBox {
  readonly proxyUrl: string
  /** May come from a file that somebody else wrote: a person must see where requests go. */
  readonly upstream: string
}

/** The lines of a box that says where the proxy is and where it leads. */
export function proxyBox({ proxyUrl, upstream }: ProxyBox): readonly string[] {
  const lines = [`Proxy: ${proxyUrl}`, `Upstream: ${harmlessLine(upstream)}`]
  const width = Math.max(...lines.map(line => line.length))
  const edge = '─'.repeat(width + 2)
  return [`┌${edge}┐`, ...lines.map(line => `│ ${line.padEnd(width)} │`), `└${edge}┘`]
}
