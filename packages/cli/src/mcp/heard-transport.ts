import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'

/** The same transport; what comes in is heard on its way. */
export function hearing(inner: Transport, hear: (message: JSONRPCMessage) => void): Transport {
  const outer: Transport = {
    start() {
      inner.onmessage = (message, extra) => {
        hear(message)
        outer.onmessage?.(message, extra)
      }
      inner.onclose = () => outer.onclose?.()
      inner.onerror = error => outer.onerror?.(error)
      return inner.start()
    },
    send: (message, options) => inner.send(message, options),
    close: () => inner.close(),
  }
  return outer
}

/** Whether the client said, when it shook hands as in 2025, that it can ask its person. */
export function asksSinceHandshake(message: JSONRPCMessage): boolean {
  if (!('method' in message) || message.method !== 'initialize') return false
  const capabilities: unknown = message.params?.['capabilities']
  return typeof capabilities === 'object' && capabilities !== null && 'elicitation' in capabilities
}
