/** The packages of the SDK. They are big and optional: imported by a worker, when it starts, and by nobody else. */
export interface Sdk {
  readonly agent: typeof import('@earendil-works/pi-coding-agent')
  readonly ai: typeof import('@earendil-works/pi-ai')
}

export async function loadSdk(): Promise<Sdk> {
  const [ai, agent] = await Promise.all([
    import('@earendil-works/pi-ai'),
    import('@earendil-works/pi-coding-agent'),
  ])
  return { ai, agent }
}
